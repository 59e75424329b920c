"""What runs wait for, on real ones: since when, until when, and what answers."""

import pytest
from going import begun, go_on

from runs import signals
from runs.models import Run
from runs.reading import waiting as module
from runs.reading.waiting import waiting
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_wait_says_what_answers_it_since_when_and_until_when() -> None:
    run = begun("\nreturn ctx.waitForEvent({signal: 'ok'}, {timeout: 3600000, label: 'Sign-off'})")
    (part,) = waiting(run).parts
    assert (part.kind, part.label, part.signal, part.wait_id, part.line) == ("wait", "Sign-off", "ok", "w1", 3)
    assert part.since is not None
    assert part.until is not None
    assert (part.until - part.since).total_seconds() == 3600


def test_waits_come_first_then_what_is_due_next() -> None:
    run = begun("""
      const later = ctx.sleep(ctx.hours(2)), soon = ctx.sleep(ctx.hours(1));
      return Promise.all([later, soon, ctx.waitForEvent({})]);
    """)
    told = waiting(run)
    assert [(part.kind, part.call_seq) for part in told.parts] == [("wait", 3), ("timer", 2), ("timer", 1)]
    assert told.parts[0].signal == ""


def test_a_call_between_two_attempts_says_why_and_which_attempt_is_next() -> None:
    run = begun("return ctx.call('once', {v: 'b', retryable: true}, {retry: {maxAttempts: 3, backoffMs: 60000}})")
    (part,) = waiting(run).parts
    assert (part.kind, part.label, part.attempt, part.error["code"]) == ("retry", "once", 2, "once")


def test_a_child_that_is_waited_for_is_named() -> None:
    run = begun(
        "return ctx.delegate({script: 'export default (i, ctx) => ctx.waitForEvent({})', title: 'Asks somebody'})"
    )
    child = Run.objects.get(parent=run)
    (part,) = waiting(run).parts
    assert (part.kind, part.label, part.child_id) == ("child", "Asks somebody", child.pk)


def test_a_run_that_will_be_tried_again_says_so() -> None:
    run = begun("return ctx.call('once', {v: 'b', retryable: true})", max_attempts=3)
    if run.status == "waiting":
        (part,) = waiting(run).parts
        assert (part.kind, part.attempt, part.error["code"]) == ("attempt", 2, "once")
    else:
        pytest.fail(f"it is {run.status}")


def test_signals_that_nothing_has_taken_are_told() -> None:
    run = begun("await ctx.waitForEvent({signal: 'ok'}); return 1")
    signals.send(run.pk, "early", {"n": 1})
    (kept,) = waiting(Run.objects.get(pk=run.pk)).kept
    assert (kept.name, kept.payload.text) == ("early", '{\n  "n": 1\n}')
    signals.send(run.pk, "ok")
    assert waiting(go_on(run)).kept == []


def test_the_open_waits_of_a_run_that_is_queued_again_can_still_be_answered() -> None:
    run = begun("await Promise.all([ctx.waitForEvent({signal: 'a'}), ctx.waitForEvent({signal: 'b'})])")
    signals.send(run.pk, "a")
    queued = Run.objects.get(pk=run.pk)
    assert queued.status == "queued"
    assert [part.signal for part in waiting(queued).parts] == ["a", "b"]


def test_what_has_ended_and_what_has_not_begun_wait_for_nothing() -> None:
    assert waiting(begun("return 0")).parts == []
    assert waiting(start("export default () => 0").run).parts == []


def test_a_long_list_is_bounded_and_says_how_many_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PARTS", 2)
    run = begun("await Promise.all([1, 2, 3].map((n) => ctx.sleep(ctx.hours(n))))")
    told = waiting(run)
    assert (len(told.parts), told.more) == (2, 1)
