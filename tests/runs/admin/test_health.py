"""The page of replay health: every sign with what it means and the runs that show it, as far as was looked."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runs import finding
from runs.admin import health
from runs.finding import Page
from runs.health.facts import WORDS
from runs.health.signs import Sign, shown
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
BrowserOf = Callable[..., Client]
SCRIPT = "export default async () => 1"


def signed(signs: Sign, owner: User | None = None) -> Run:
    run = start(SCRIPT, title=f"Signed {int(signs)}", owner=owner).run
    Run.objects.filter(pk=run.pk).update(**shown(signs))
    return run


def test_every_sign_is_explained_with_its_runs(browser_of: BrowserOf) -> None:
    both, plain = signed(Sign.ORPHANS | Sign.LATE), signed(Sign(0))
    answer = browser_of("view_run").get("/admin/health/")
    html = answer.content.decode()
    assert all(meaning in html for _, meaning in WORDS.values())
    told = {each["sign"]: [row["run"].pk for row in each["runs"]] for each in answer.context["signs"]}
    assert {sign for sign, runs in told.items() if runs == [both.pk]} == {Sign.ORPHANS, Sign.LATE}
    assert "Left behind, Answered too late" in html
    assert plain.pk not in html
    assert html.count("No run shows it.") == len(Sign) - 2


def test_a_sign_has_a_page_that_goes_on(browser_of: BrowserOf, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [signed(Sign.LATE) for _ in range(3)]
    monkeypatch.setattr(finding, "find", partial(finding.find, size=2))
    browser = browser_of("view_run")
    first = browser.get("/admin/health/late/")
    assert [row["run"].pk for row in first.context["runs"]] == [runs[2].pk, runs[1].pk]
    second = browser.get(f"/admin/health/late/?before={first.context['older']}")
    assert [row["run"].pk for row in second.context["runs"]] == [runs[0].pk]
    assert second.context["older"] == ""
    assert browser.get("/admin/health/nothing/").status_code == 404


def test_a_search_that_has_not_looked_at_all_does_not_look_like_nothing(
    browser_of: BrowserOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    page = Page([], older="0" * 26, searched_to=at)
    monkeypatch.setattr(health.finding, "find", lambda *_, **__: page)
    html = browser_of("view_run").get("/admin/health/late/").content.decode()
    assert "Looked back to the runs made" in html
    assert "shows it" not in html
    assert f"?before={page.older}" in html


def test_others_of_the_staff_see_their_own_runs(browser_of: BrowserOf) -> None:
    browser = browser_of(name="bob")
    mine, theirs = signed(Sign.LATE, User.objects.get(username="bob")), signed(Sign.LATE)
    html = browser.get("/admin/health/").content.decode()
    assert mine.pk in html
    assert theirs.pk not in html
    plain = Client()
    plain.force_login(User.objects.create_user("plain"))
    assert plain.get("/admin/health/").status_code == 302
