"""The ctx calls of real runs: what was asked, each attempt, and what came of it, also after a retry and a rewind."""

import pytest
from going import begun, go_on

from journal.entries import Kind
from journal.models import RunJournal
from runs import signals
from runs.models import Run
from runs.operations import retry, rewind
from runs.reading.calls import CtxCall, ctx_calls, newest, one

pytestmark = pytest.mark.django_db(transaction=True)
EVERY = (Kind.CALL, Kind.TIMER, Kind.WAIT)


def calls_of(run: Run) -> dict[int, CtxCall]:
    return {call.call_seq: call for call in ctx_calls(RunJournal.objects.filter(run_id=run.pk).order_by("seq"))}


def test_a_call_is_its_question_and_its_answer() -> None:
    run = begun("\nreturn ctx.call('note', {v: 'a'}, {description: 'Noting <a>'})")
    (call,) = newest(run.pk)
    assert (call.op, call.what, call.narration, call.line) == ("tool", "note", "Noting <a>", 3)
    assert (call.status, call.input, call.value) == ("succeeded", {"v": "a"}, "a")
    assert call.took_ms is not None
    assert [attempt.number for attempt in call.attempts] == [1]


def test_each_attempt_of_a_call_is_told_with_its_error() -> None:
    run = begun("return ctx.call('once', {v: 'b', retryable: true}, {retry: {maxAttempts: 3, backoffMs: 1}})")
    call = one(run.pk, 1)
    assert call is not None
    assert [(a.number, a.status, a.left) for a in call.attempts] == [(1, "failed", None), (2, "succeeded", None)]
    assert call.attempts[0].value["code"] == "once"
    assert call.attempts[0].ended is not None
    assert call.attempts[0].ended <= call.attempts[1].began
    assert (call.status, call.value) == ("succeeded", "b well")


def test_a_pause_between_attempts_says_until_when() -> None:
    run = begun("return ctx.call('once', {v: 'b', retryable: true}, {retry: {maxAttempts: 3, backoffMs: 60000}})")
    call = one(run.pk, 1)
    assert call is not None
    assert call.status == "pausing"
    assert call.due == run.wait[0]["wakeAt"]


def test_what_a_retry_left_behind_stays_as_an_attempt_of_the_same_call() -> None:
    run = begun("return ctx.call('once', {v: 'b'})")
    retry(run.pk)
    again = one(run.pk, 1)
    assert again is not None
    assert (again.status, again.value, again.superseded) == ("open", None, None)
    go_on(run)
    call = one(run.pk, 1)
    assert call is not None
    assert [(a.status, a.left) for a in call.attempts] == [("failed", 2), ("succeeded", None)]
    assert (call.status, call.value) == ("succeeded", "b well")


def test_pauses_that_a_retry_left_behind_are_not_taken_for_the_new_attempts() -> None:
    run = begun("""
      const again = {retry: {maxAttempts: 2, backoffMs: 1}};
      return ctx.call('http.request', {url: 'http://10.0.0.1/'}, again).catch(() => ctx.call('once', {v: 'b'}));
    """)
    retry(run.pk)
    run = go_on(run)
    assert run.status == "succeeded"
    assert [call.status for call in newest(run.pk)] == ["failed", "succeeded"]


def test_calls_that_a_rewind_left_behind_are_marked_with_the_attempt() -> None:
    run = begun("await ctx.call('note', {v: 1}); return ctx.call('note', {v: 2})")
    rewind(run.pk, 2)
    go_on(run)
    assert [(call.call_seq, call.superseded) for call in newest(run.pk)] == [(1, None), (2, 2), (3, None)]


def test_a_call_that_was_out_when_it_was_left_behind_ends_there() -> None:
    run = begun("await ctx.sleep(ctx.hours(1)); return 1")
    rewind(run.pk, 1)
    left = one(run.pk, 1)
    assert left is not None
    assert (left.status, left.superseded) == ("left", 2)
    assert left.ended is not None
    assert left.ended - left.began < 3_600_000


def test_sleeps_and_waits_are_calls_too() -> None:
    run = begun("""
      await ctx.sleep(5);
      await ctx.waitForEvent({signal: 'x'}, {timeout: 5, label: 'Patience'});
      return ctx.waitForEvent({signal: 'ok'}, {label: 'Sign-off'});
    """)
    signals.send(run.pk, "ok", {"by": "Ana"})
    run = go_on(run)
    calls = newest(run.pk, kinds=EVERY)
    assert [(call.op, call.what, call.status) for call in calls] == [
        ("sleep", "sleep", "elapsed"),
        ("wait", "Patience", "timed-out"),
        ("wait", "Sign-off", "answered"),
    ]
    assert calls[2].value == {"signal": "ok", "payload": {"by": "Ana"}}
    assert newest(run.pk) == []


def test_a_child_is_a_call_that_names_its_run() -> None:
    run = begun("return ctx.delegate({script: 'export default async () => 5', title: 'Five'})")
    (call,) = newest(run.pk)
    assert (call.op, call.what, call.value) == ("agent", "Five", 5)
    assert call.child_id == Run.objects.get(parent=run).pk


def test_the_newest_are_read_in_two_queries_and_older_ones_on_demand(
    django_assert_num_queries: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.reading.calls.NEWEST", 3)
    run = begun("for (let i = 1; i <= 9; i++) await ctx.call('note', {v: i}); return 0")
    with django_assert_num_queries(2):  # type: ignore[operator]
        found = newest(run.pk)
    assert [call.call_seq for call in found] == [6, 7, 8, 9]
    assert [call.call_seq for call in newest(run.pk, before_call=3)] == [1, 2]


def test_a_number_without_a_call_is_none() -> None:
    run = begun("return 0")
    assert one(run.pk, 5) is None
