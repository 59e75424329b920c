"""What people do to a run on its pages is written down with its reason, and told in the run's activity."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from filling import fields_of, text_of
from going import begun, define_tools

from journal.models import RunJournal
from runs import audit
from runs.models import Run
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)  # runs are advanced on a thread of its own


@pytest.fixture(autouse=True)
def tools() -> object:
    with registered():
        define_tools()
        yield


def told(run: Run) -> list[tuple[str, str, str]]:
    return [(deed.who, deed.verb, deed.reason) for deed in audit.deeds(run)]


def rows(client: Client, run: Run, query: str = "") -> list[str]:
    """The rows of the activity as seq, or as the words of a deed."""
    html = client.get(f"/runs/{run.pk}/entries/{query}").content.decode()
    found = re.findall(
        r'<li class="entry[^"]*" id="(entry-\d+|deed)[^>]*>.*?<summary><bdi>(.*?)</bdi>', html, re.DOTALL
    )
    return [words if place == "deed" else place.removeprefix("entry-") for place, words in found]


def test_a_signal_is_written_down_once_with_its_reason(browser: Client, owner: User) -> None:
    run = begun("return ctx.waitForEvent({signal: 'go'}, {label: 'Sign-off'})", owner=owner)
    page = browser.get(f"/runs/{run.pk}/").content.decode()
    wait = re.findall(r'name="wait_id" value="(\w+)"', page)[0]
    assert 'name="reason"' in page
    answer = {"wait_id": wait, "name": "go", "payload": "1", "reason": "it <may> go"}
    for _ in range(2):
        browser.post(f"/runs/{run.pk}/signal/", answer)
    assert told(run) == [("ada", "signal", "it <may> go")]
    assert audit.deeds(run)[0].facts == {"signal": "go", "outcome": "delivered"}
    browser.post(f"/runs/{run.pk}/signal/", {"wait_id": "w99", "name": "go"})
    assert len(told(run)) == 1, "what is refused is not written down"
    html = browser.get(f"/runs/{run.pk}/?tab=activity").content.decode()
    assert "operator ada: signal (it <may> go), signal go, outcome delivered" in text_of(html)
    assert "<may>" not in html


def test_a_signal_to_a_run_that_was_continued_is_of_its_successor(browser: Client, owner: User) -> None:
    first = begun(
        "if (input === null) return ctx.continueAsNew(1); return ctx.waitForEvent({signal: 'go'})", owner=owner
    )
    assert first.successor
    browser.post(f"/runs/{first.pk}/signal/", {"name": "go"})
    assert told(first) == []
    assert told(Run.objects.get(pk=first.successor)) == [("ada", "signal", "")]


def test_a_cancel_is_written_down_with_its_reason(browser: Client, run: Run) -> None:
    browser.post(f"/runs/{run.pk}/cancel/", {"reason": "a mistake"})
    browser.post(f"/runs/{run.pk}/cancel/", {"reason": "again"})
    assert told(run) == [("ada", "cancel", "a mistake")]


def test_a_rewind_is_written_down_with_its_call_and_a_dry_replay_is_not(browser: Client, owner: User) -> None:
    run = begun("return ctx.call('note', {v: 1})", owner=owner)
    form = fields_of(browser.get(f"/runs/{run.pk}/retry/?how=rewind&call=1").content.decode())
    browser.post(f"/runs/{run.pk}/retry/", form | {"step": "dry", "reason": "to see"})
    assert told(run) == []
    assert browser.post(f"/runs/{run.pk}/retry/", form | {"step": "do", "reason": "once more"}).status_code == 302
    assert told(run) == [("ada", "rewind", "once more")]
    assert audit.deeds(run)[0].facts == {"attempt": 2, "call": 1}


def test_a_fork_is_written_down_at_both_runs_once(browser: Client, owner: User) -> None:
    run = begun("return ctx.call('note', {v: 1})", owner=owner)
    form = fields_of(browser.get(f"/runs/{run.pk}/fork/?call=1").content.decode())
    for _ in range(2):
        browser.post(f"/runs/{run.pk}/fork/", form | {"step": "do", "reason": "to try"})
    fork = Run.objects.get(forked_from_id=run.pk)
    assert told(run) == told(fork) == [("ada", "fork", "to try")]
    assert audit.deeds(run)[0].facts == {"fork": fork.pk, "call": 1}
    assert audit.deeds(fork)[0].facts == {"of": run.pk, "call": 1}


def test_a_start_is_written_down_once(browser: Client, owner: User) -> None:
    form = fields_of(browser.get("/runs/new?example=welcome").content.decode())
    for _ in range(2):
        browser.post("/runs/new", form)
    assert told(Run.objects.get()) == [("ada", "start", "")]


def test_a_reason_that_is_too_long_is_told_and_nothing_is_done(browser: Client, run: Run) -> None:
    answer = browser.post(f"/runs/{run.pk}/signal/", {"name": "go", "reason": "x" * 501})
    assert answer.status_code == 422
    assert fields_of(answer.content.decode())["reason"] == "x" * 501
    assert not LogEntry.objects.exists()


def test_deeds_stand_among_the_entries_by_their_time_each_on_one_page(
    browser: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun("for (let i = 0; i < 4; i++) await ctx.log('info', `n${i}`)", owner=owner)
    last = RunJournal.objects.filter(run_id=run.journal_id).order_by("-seq").first()
    assert last is not None
    begin = timezone.now() - timedelta(hours=1)
    for entry in RunJournal.objects.filter(run_id=run.journal_id):
        at = int((begin + timedelta(seconds=10 * entry.seq)).timestamp() * 1000)
        RunJournal.objects.filter(run_id=run.journal_id, seq=entry.seq).update(at=at)
    for name, seconds in (("early", 5), ("middle", 25), ("late", 10 * last.seq + 5)):
        audit.record(owner, run, name)
        LogEntry.objects.filter(change_message=name).update(action_time=begin + timedelta(seconds=seconds))
    seqs = [str(seq) for seq in range(last.seq, 0, -1)]
    assert rows(browser, run) == ["ada: late", *seqs[:-2], "ada: middle", *seqs[-2:], "ada: early"]
    assert rows(browser, run, "?order=oldest") == rows(browser, run)[::-1]
    assert rows(browser, run, "?show=operators") == ["ada: late", "ada: middle", "ada: early"]
    assert rows(browser, run, "?show=logs") == seqs
    whole = rows(browser, run)
    monkeypatch.setattr("runs.pages.activity.ROWS", 2)
    paged = rows(browser, run)
    for before in range(last.seq - 1, 1, -2):
        paged += rows(browser, run, f"?before={before}")
    assert paged == whole
