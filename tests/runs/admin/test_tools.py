"""The page of tools and agents: contract and schema of each, and how it has fared, as far as was looked."""

import html
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from journal import bodies
from runs.admin.tools import use_words
from runs.agents.registry import registered_agents
from runs.models import Run
from runs.tools.registry import registered
from runs.vitals import Use

pytestmark = pytest.mark.django_db
BrowserOf = Callable[..., Client]
Lived = Callable[..., Run]
BUSY = {"code": "busy", "message": "all lines are busy", "retryable": True, "detail": None}


def dial(number: int) -> str:
    """Calls <somebody> by number."""
    return str(number)


def triage(note: str) -> str:
    """Sorts notes."""
    return note


def page(browser: Client) -> str:
    with registered({"phone": dial}), registered_agents(triage=triage):
        return html.unescape(browser.get("/admin/tools/").content.decode())


def test_each_has_its_contract_and_its_schema(browser_of: BrowserOf) -> None:
    told = page(browser_of("view_run"))
    assert "Calls <somebody> by number." in told
    assert '"number": {\n      "type": "integer"' in told
    assert "Sorts notes." in told
    assert 'id="tool-echo"' in told


def test_use_and_failures_are_told_with_how_far_that_was_looked(browser_of: BrowserOf, lived: Lived) -> None:
    call = bodies.call(1, "phone", {}, 3, None)
    lived("Well", call, bodies.result(1, "k", True, 1))
    lived("Badly", call, bodies.result(1, "k", False, BUSY))
    lived("Unknown", bodies.call(1, "gone.tool", {}, 3, None))
    told = page(browser_of("view_run"))
    assert "2 calls, 1 failed (50.0 %): busy 1" in told
    assert "/admin/effects/?tool=phone&outcome=failed" in told
    assert "Counted over the newest 3 runs, made since" in told
    assert "those are all" in told
    assert "<code>gone.tool</code></a>: 1 call, none failed; 1 is out" in told


def test_others_of_the_staff_see_the_use_of_their_own_runs(browser_of: BrowserOf, lived: Lived) -> None:
    lived("Theirs", bodies.call(1, "phone", {}, 3, None))
    told = page(browser_of(name="bob"))
    assert "Counted over the newest 0 runs of your own: those are all." in told
    plain = Client()
    plain.force_login(User.objects.create_user("plain"))
    assert plain.get("/admin/tools/").status_code == 302


def test_use_in_words() -> None:
    assert use_words(Use()) == "not called"
    use = Use(calls=1003, failed=4, out=3, again=2)
    use.codes.update({"timeout": 3, "busy": 1})
    assert use_words(use) == "1,003 calls, 4 failed (0.4 %): timeout 3, busy 1; 2 tried again; 3 are out"
