"""The page of an imported copy says that it is one, and offers nothing that would be refused."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

sys.path.append(str(Path(__file__).resolve().parents[1] / "portable"))

from files import elsewhere, exported
from going import begun, define_tools

from runs.models import Run
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)
WAITS = "await ctx.call('note', {v: 1}); return await ctx.waitForEvent({signal: 'yes'}, {label: 'Sign-off'})"
TABS = ("activity", "calls", "timeline", "source", "values")


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


@pytest.fixture
def chief(admin_user: User) -> Client:
    client = Client()
    client.force_login(admin_user)
    return client


def copy_of(folder: Path, body: str, **how: object) -> Run:
    run = begun(body)
    elsewhere(folder, exported(run, **how))  # type: ignore[arg-type]
    return Run.objects.get(pk=run.pk)


def test_it_says_what_it_is_and_what_the_run_was(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, WAITS)
    page = chief.get(f"/runs/{run.pk}/").content.decode()
    assert "Imported copy. When it was exported, the run was: Waiting for Sign-off" in page
    assert "Nothing moves a copy; a fork goes on from one of its calls." in page
    assert "Waited for, when it was exported" in page


def test_it_offers_a_fork_and_nothing_that_would_be_refused(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, WAITS)
    for tab in TABS:
        page = chief.get(f"/runs/{run.pk}/?tab={tab}&call=1").content.decode()
        assert f"/runs/{run.pk}/fork/" in page
        for verb in ("retry", "cancel", "signal", "fix"):
            assert f"/runs/{run.pk}/{verb}/" not in page, (tab, verb)
    page = chief.get(f"/admin/runs/run/{run.pk}/call/1/").content.decode()
    assert "/fork/" in page
    assert "/retry/" not in page


def test_a_failed_copy_shows_its_error_and_no_retry(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, "await ctx.call('once', {v: 'x'})")
    page = chief.get(f"/runs/{run.pk}/?tab=source").content.decode()
    assert "it broke" in page
    assert "failed here" in page
    assert f"/runs/{run.pk}/retry/" not in page


def test_the_output_of_one_that_had_succeeded_is_shown(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, "return 'the end of it'")
    assert "the end of it" in chief.get(f"/runs/{run.pk}/?tab=values").content.decode()


def test_a_redacted_copy_names_what_is_missing_and_cannot_be_forked(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, WAITS, redact=["calls.*.input.v"])
    page = chief.get(f"/runs/{run.pk}/").content.decode()
    assert "Taken out of the file: calls.*.input.v." in page
    assert f"/runs/{run.pk}/fork/" not in page


def test_what_is_sent_all_the_same_is_refused_by_name(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, WAITS)
    page = chief.post(f"/runs/{run.pk}/cancel/", {"reason": "x"})
    assert (page.status_code, b"is an imported copy" in page.content) == (409, True)
    page = chief.post(f"/runs/{run.pk}/signal/", {"name": "yes", "payload": "1"}, follow=True)
    assert b"imported copy" in page.content
    page = chief.post(f"/runs/{run.pk}/retry/", {"how": "rewind", "call": "1", "step": "do"})
    assert Run.objects.get().status == "imported"
    assert page.status_code < 500


def test_every_page_of_the_admin_opens_for_it(chief: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, WAITS)
    for path in (f"/admin/runs/run/{run.pk}/change/", "/admin/runs/run/", "/admin/runs/run/?status=imported"):
        page = chief.get(path)
        assert page.status_code == 200
        assert b"Imported" in page.content
    assert b"Imported copy" in chief.get("/runs/?status=imported").content


def test_nobody_but_who_may_view_all_runs_sees_a_copy_without_an_owner(browser: Client, tmp_path: Path) -> None:
    run = copy_of(tmp_path, "return 1")
    assert browser.get(f"/runs/{run.pk}/").status_code == 404
