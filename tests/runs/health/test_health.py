"""Each sign of replay health: set where its fact is written, told with its meaning and its places."""

from typing import Any

import pytest
from going import begun, go_on

from journal import bodies
from journal.bodies import Body
from journal.entries import Entry
from runs import queue
from runs.family import failed
from runs.health.facts import WORDS, health, signs_in
from runs.health.signs import BY_SLUG, Sign, signs_of
from runs.held import HeldRun
from runs.host import Round, Succeeded
from runs.host.failure import run_error
from runs.models import Run
from runs.operations import retry
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = "export default async () => 1"
SORRY = "try { return await ctx.call('once', {v: 'b'}) } catch (e) { await ctx.call('note', {v: 'sorry'}); throw e }"


def held(*first: Body) -> HeldRun:
    start(SCRIPT)
    [run] = queue.claim("w")
    journal = HeldRun(run)
    journal.commit(Round([entry(seq, body) for seq, body in enumerate(first, 1)]))
    return journal


def entry(seq: int, body: Body) -> Entry:
    return Entry.of(seq, seq, body)


def result(**more: Any) -> Body:
    return bodies.result(1, "k", True, 1) | more


def signs(run: Run) -> list[Sign]:
    return signs_in(Run.objects.get(pk=run.pk))


CALL = bodies.call(1, "note", {"v": 1}, 3, "Noting")


def test_every_sign_has_a_name_and_a_meaning() -> None:
    assert set(WORDS) == set(Sign) == set(BY_SLUG.values())
    assert set(BY_SLUG) == {"reexecuted", "orphans", "diverged", "late", "near-cap", "unhandled"}
    assert all(meaning.endswith(".") for _, meaning in WORDS.values())


def test_a_plain_story_has_no_sign() -> None:
    run = begun("return ctx.call('note', {v: 1})")
    assert signs(run) == []
    assert health(run) == []


def test_a_call_that_was_executed_again_is_told_with_the_entry_that_commits_it() -> None:
    journal = held(CALL)
    journal.commit(Round([entry(2, result(reexecuted=True))]))
    assert signs(journal.run) == [Sign.REEXECUTED]
    [finding] = health(journal.run)
    assert (finding.sign, finding.count, finding.places[0].call_seq) == (Sign.REEXECUTED, 1, 1)
    assert "same idempotency token" in finding.meaning


def test_a_transactional_call_that_was_executed_again_too() -> None:
    journal = held(CALL)
    journal.commit_around(Round(), lambda broken: (True, [entry(2, result(reexecuted=True))]))
    assert signs(journal.run) == [Sign.REEXECUTED]


def test_a_result_after_the_end_of_the_run_is_late() -> None:
    journal = held(CALL)
    journal.commit(Round(ending=Succeeded(1)))
    journal.commit(Round([entry(2, result(late=True))]))
    assert signs(journal.run) == [Sign.LATE]


def test_a_holder_who_has_lost_the_run_shows_nothing() -> None:
    journal = held(CALL)
    Run.objects.filter(pk=journal.run.pk).update(fence=9)
    journal._show(Sign.LATE)
    assert signs(journal.run) == []


def test_what_a_retry_leaves_behind_are_orphans() -> None:
    run = begun(SORRY)
    retry(run.pk)
    run = go_on(run)
    assert run.status == "succeeded"
    assert signs(run) == [Sign.REEXECUTED, Sign.ORPHANS]
    _, finding = health(run)
    assert [(place.call_seq, place.attempt) for place in finding.places] == [(2, 2)]
    assert finding.as_dict()["sign"] == "orphans"


def test_a_retry_that_leaves_no_call_behind_has_only_executed_one_again() -> None:
    run = begun("return ctx.call('once', {v: 'b'})")
    retry(run.pk)
    assert signs(go_on(run)) == [Sign.REEXECUTED]


def test_a_divergence_is_a_sign_that_stays() -> None:
    journal = held(CALL)
    error = run_error("replay-diverged", "call 1 was echo and is note", "", callSeq=1)
    failed(journal.run, Run.objects.filter(pk=journal.run.pk), error)
    run = Run.objects.get(pk=journal.run.pk)
    assert signs(run) == [Sign.DIVERGED]
    assert health(run)[0].places[0].call_seq == 1
    Run.objects.filter(pk=run.pk).update(error_code="", error=None)
    assert health(Run.objects.get(pk=run.pk))[0].sign == Sign.DIVERGED


def test_a_rejection_that_nobody_awaits_and_a_journal_that_fills_up(settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "journal_max_entries": 13}
    run = begun("ctx.call('missing'); for (let i = 0; i < 4; i++) await ctx.call('note', {v: i}); return 1")
    assert (run.status, signs(run)) == ("succeeded", [Sign.NEAR_CAP, Sign.UNHANDLED])
    assert [finding.sign for finding in health(run)] == [Sign.NEAR_CAP, Sign.UNHANDLED]


def test_an_answer_after_its_time_limit_names_its_call() -> None:
    body = bodies.notice("warn", "call 4 answered after its time limit") | {"late": True, "lateCall": 4}
    assert signs_of([body]) == Sign.LATE
    assert health(held(body).run)[0].places[0].call_seq == 4
