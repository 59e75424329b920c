"""Retrying, timing out, and answers that come too late."""

import pytest
from driving import TimedEffects, Tools, cut, drive, is_sound, output, replays_identically, run, script

from runs.host.retries import pause_ms

BODY = "return await ctx.call('flaky', {until: 4}, {retry: {maxAttempts: 5, backoffMs: 100, maxBackoffMs: 150}})"


def test_the_pause_doubles_up_to_its_most() -> None:
    options = {"retry": {"maxAttempts": 9, "backoffMs": 100, "maxBackoffMs": 1000}}
    assert [pause_ms(options, attempts, {"retryable": True}) for attempts in range(1, 10)] == [
        100,
        200,
        400,
        800,
        1000,
        1000,
        1000,
        1000,
        None,
    ]


@pytest.mark.parametrize(
    ("options", "failed"),
    [
        (None, {"retryable": True}),
        ({"retry": {"maxAttempts": 3, "backoffMs": 1, "maxBackoffMs": 1}}, {"retryable": False}),
        ({}, {}),
    ],
)
def test_without_the_option_or_a_retryable_failure_there_is_no_other_attempt(options: dict, failed: dict) -> None:  # type: ignore[type-arg]
    assert pause_ms(options, 1, failed) is None


def test_each_pause_is_a_timer_and_its_end_of_the_same_call_and_only_the_last_attempt_writes_a_result() -> None:
    driven = run(BODY)
    assert driven.output == {"until": 4}
    assert driven.kinds() == ["call", "timer", "fired", "timer", "fired", "timer", "fired", "result"]
    assert {entry.call_seq for entry in driven.journal.entries} == {1}
    timers = driven.bodies("timer")
    assert [body["retry"] for body in timers] == [1, 2, 3]
    assert [body["error"]["message"] for body in timers] == ["attempt 1", "attempt 2", "attempt 3"]
    assert driven.bodies("result")[0]["attempts"] == 4
    replays_identically(script(BODY), driven)


def test_the_pauses_last_as_long_as_they_say() -> None:
    tools = Tools()
    driven = run(BODY, tool=tools, effects=TimedEffects)
    at = {entry.seq: entry.at for entry in driven.journal.entries}
    assert [at[seq + 1] - at[seq] for seq in (2, 4, 6)] == [100, 150, 150]
    assert [call.attempt for call in tools.seen] == [1, 2, 3, 4]


def test_a_long_pause_parks_the_run_and_says_what_for() -> None:
    body = "return await ctx.call('flaky', {until: 2}, {retry: {backoffMs: 5000}})"
    driven = run(body)
    assert driven.output == {"until": 2}
    assert driven.parks == 1
    parked = next(round.ending for round in driven.journal.rounds if round.ending)
    assert parked.wait == [{"kind": "retry", "callSeq": 1, "wakeAt": parked.wake_at}]


def test_the_last_failure_is_the_script_s() -> None:
    body = (
        "return await ctx.call('flaky', {until: 9}, {retry: {maxAttempts: 3, backoffMs: 1}}).catch((e) => [e.code,"
        " e.message, e.retryable])"
    )
    assert output(body) == ["flaky", "attempt 3", True]


def test_a_run_resumed_at_any_commit_of_its_pauses_makes_no_attempt_twice_that_the_journal_has() -> None:
    source = script(BODY)
    live = drive(source)
    for rounds in range(len(live.journal.rounds)):
        journal = cut(live.journal, rounds)
        failed = sum(entry.kind == "timer" for entry in journal.entries)
        tools = Tools()
        resumed = drive(source, journal=journal, tool=tools)
        assert [call.attempt for call in tools.seen] == list(range(failed + 1, 5))
        is_sound(resumed.journal.entries)
        replays_identically(source, resumed)


def test_main_ending_in_the_middle_of_a_pause_keeps_the_last_failure_as_the_result() -> None:
    source = script(
        "ctx.call('flaky', {until: 3}, {retry: {backoffMs: 50}}).catch(() => 0); await ctx.sleep(20); return 'early'"
    )
    live = drive(source)
    assert live.bodies("result")[0]["error"]["message"] == "attempt 1"
    for rounds in range(1, len(live.journal.rounds)):
        resumed = drive(source, journal=cut(live.journal, rounds))
        assert resumed.output == "early"
        assert len(resumed.bodies("result")) == 1
        replays_identically(source, resumed)


def test_a_transactional_tool_is_retried_too() -> None:
    body = "return await ctx.call('tx.flaky', {until: 3}, {retry: {backoffMs: 10}})"
    driven = run(body)
    assert driven.output == {"until": 3}
    assert driven.kinds() == ["call", "timer", "fired", "timer", "fired", "result"]


def test_a_call_that_does_not_answer_in_time_fails_as_timeout_and_its_late_answer_is_noted() -> None:
    body = (
        "const e = await ctx.call('slow', {ms: 500, v: 1}, {timeoutMs: 100}).catch((e) => e); await ctx.sleep(900);"
        " return [e.code, e.message, e.retryable, e.tool]"
    )
    driven = run(body, effects=TimedEffects)
    assert driven.output == ["timeout", "slow did not answer within 100 ms", True, "slow"]
    assert driven.notices() == ["call 1 answered after its time limit; the answer was not used"]
    assert len(driven.bodies("result")) == 1
    replays_identically(script(body), driven)


def test_a_tool_that_timed_out_is_told_so() -> None:
    tools = Tools()
    run(
        "await ctx.call('slow', {ms: 500}, {timeoutMs: 100}).catch(() => 0); await ctx.sleep(900)",
        tool=tools,
        effects=TimedEffects,
    )
    assert tools.seen[0].cancelled.is_set()


def test_a_timeout_can_be_retried() -> None:
    body = (
        "return await ctx.call('slow', {ms: 500, v: 1}, {timeoutMs: 100, retry: {maxAttempts: 2, backoffMs:"
        " 10}}).catch((e) => e.code)"
    )
    driven = run(body, effects=TimedEffects)
    assert driven.output == "timeout"
    assert driven.kinds()[:3] == ["call", "timer", "fired"]


def test_a_timed_out_call_that_nobody_awaits_does_not_hold_the_run() -> None:
    driven = run("ctx.call('slow', {ms: null}, {timeoutMs: 100}).catch(() => 0); return 'done'", effects=TimedEffects)
    assert driven.output == "done"
    assert driven.bodies("result")[0]["error"]["code"] == "timeout"
