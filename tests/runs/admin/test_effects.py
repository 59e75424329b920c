"""The effect search page: what it finds is linked to its call, and a search that was cut short says so and goes on."""

from collections.abc import Callable
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client

from journal import bodies
from runs.admin import effects
from runs.models import Run
from runs.searching import search

pytestmark = pytest.mark.django_db
BrowserOf = Callable[..., Client]
Lived = Callable[..., Run]
SEARCH = "/admin/effects/"


@pytest.fixture
def paid(lived: Lived) -> Run:
    call = bodies.call(1, "bank.charge", {"order": 7, "note": "<b>first</b>"}, 3, "Charging order 7")
    return lived("Paid", call, bodies.result(1, "k", True, {"receipt": "R-77"}))


def test_without_a_query_nothing_is_searched(browser_of: BrowserOf, paid: Run) -> None:
    answer = browser_of("view_run").get(SEARCH)
    assert answer.status_code == 200
    assert "found" not in answer.context


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"tool": "bank.charge"}, 1),
        ({"tool": "bank"}, 0),
        ({"narration": "order 7"}, 1),
        ({"outcome": "succeeded"}, 1),
        ({"outcome": "failed"}, 0),
        ({"text": "R-77", "where": "result"}, 1),
        ({"text": "R-77", "where": "arguments"}, 0),
        ({"value": "7"}, 1),
        ({"value": '"R-77"'}, 1),
        ({"value": "null"}, 0),
        ({"tool": "bank.charge", "status": "queued"}, 1),
        ({"tool": "bank.charge", "status": "failed"}, 0),
        ({"tool": "bank.charge", "script": "report"}, 0),
        ({"tool": "bank.charge", "made": "1h"}, 1),
    ],
    ids=str,
)
def test_each_filter_finds_its_calls(browser_of: BrowserOf, paid: Run, query: dict[str, str], count: int) -> None:
    answer = browser_of("view_run").get(SEARCH, query)
    assert len(answer.context["found"].matches) == count
    assert not answer.context["found"].partial


def test_a_match_leads_to_its_call_and_shows_what_was_found(browser_of: BrowserOf, paid: Run) -> None:
    html = browser_of("view_run").get(SEARCH, {"text": "first"}).content.decode()
    assert f'href="/runs/{paid.pk}/?tab=calls&amp;call=1#call-1"' in html
    assert "input.note" in html
    assert "&lt;b&gt;first&lt;/b&gt;" in html
    assert "Those are all: 1 run looked into." in html


def test_what_was_found_is_acted_on_as_in_the_list(browser_of: BrowserOf, paid: Run) -> None:
    browser = browser_of("view_run", "cancel_run", "retry_run", "signal_run")
    html = browser.get(SEARCH, {"tool": "bank.charge"}).content.decode()
    for verb in effects.VERBS:
        link = f"/admin/runs/run/bulk/{verb}/?ids={paid.pk}"
        assert f'href="{link}"' in html
        assert browser.get(link).status_code == 200


def test_a_search_that_was_cut_short_says_so_and_goes_on(
    browser_of: BrowserOf, lived: Lived, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [lived(f"Run {n}", bodies.call(1, "bank.charge", {}, 3, None)) for n in range(3)]
    monkeypatch.setattr(effects, "search", partial(search, size=2))
    browser = browser_of("view_run")
    first = browser.get(SEARCH, {"tool": "bank.charge"})
    assert "Not all yet: 2 runs looked into, back to those made" in first.content.decode()
    second = browser.get(SEARCH + first.context["further"])
    assert "Those are all: 1 run looked into, from where the search went on." in second.content.decode()
    found = [match.run.pk for answer in (first, second) for match in answer.context["found"].matches]
    assert found == [run.pk for run in reversed(runs)]


@pytest.mark.parametrize(
    ("query", "field", "reason"),
    [
        ({"where": "result"}, "__all__", "Say what the call is to have"),
        ({"value": "paid"}, "value", "A text has its quotation marks"),
        ({"tool": "x", "status": "asleep"}, "status", "not one of the available choices"),
        ({"tool": "x", "before": "no id"}, "before", ""),
    ],
)
def test_a_query_that_is_not_in_order_is_refused_with_a_reason(
    browser_of: BrowserOf, query: dict[str, str], field: str, reason: str
) -> None:
    answer = browser_of("view_run").get(SEARCH, query)
    assert answer.status_code == 422
    assert reason in answer.context["form"].errors[field][0]


def test_others_of_the_staff_search_their_own_runs_and_nobody_else_may(
    browser_of: BrowserOf, lived: Lived, paid: Run
) -> None:
    browser = browser_of(name="bob")
    mine = lived("Mine", bodies.call(1, "bank.charge", {}, 3, None), owner=User.objects.get(username="bob"))
    found = browser.get(SEARCH, {"tool": "bank.charge"}).context["found"]
    assert [match.run.pk for match in found.matches] == [mine.pk]
    plain = Client()
    plain.force_login(User.objects.create_user("plain"))
    assert plain.get(SEARCH, {"tool": "bank.charge"}).status_code == 302
