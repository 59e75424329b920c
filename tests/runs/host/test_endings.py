"""How an advance ends besides a return: caps, deadlines, cancels, handing over, losing the run."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from driving import TimedEffects, Tools, cut, drive, is_sound, replays_identically, run, script

from journal.errors import FenceLost
from runs.host import Call, Canceled, Completion, Control, Failed, HostLimits, Lost, Parked, Released, Succeeded
from runs.host.memory import MemoryClock, MemoryJournal
from runs.realm import Limits

START = MemoryClock().now()


def at_call(call_seq: int, act: Callable[[], None]) -> Callable[[Call], Completion]:
    """Tools that do `act` when that call is executed."""
    tools = Tools()

    def tool(call: Call) -> Completion:
        if call.call_seq == call_seq:
            act()
        return tools(call)

    return tool


def test_the_cap_of_entries_ends_the_run_and_is_warned_of_once_at_80_percent() -> None:
    driven = run("for (;;) await ctx.call('echo', 1)", limits=HostLimits(journal_max_entries=100))
    assert driven.error["code"] == "journal-cap"
    assert "100 entries" in driven.error["message"]
    (warning,) = driven.notices()
    assert re.match(r"the journal is 8[0-2]% full \(8[0-2] of 100 entries, \d+ of 8388608 bytes\)", warning)
    assert len(driven.journal.entries) <= 101
    is_sound(driven.journal.entries)


def test_the_cap_of_bytes_ends_the_run_too() -> None:
    driven = run("for (;;) await ctx.call('echo', 'x'.repeat(1000))", limits=HostLimits(journal_max_bytes=50_000))
    assert driven.error["code"] == "journal-cap"
    assert len(driven.notices()) == 1
    assert sum(len(entry.data) for entry in driven.journal.entries) < 52_000


def test_the_warning_is_not_given_again_by_a_run_that_resumes_above_80_percent() -> None:
    limits = HostLimits(journal_max_entries=50)
    source = script(
        "for (let i = 0; i < 21; i++) await ctx.call('echo', i); await ctx.sleep(5000); await ctx.call('echo');"
        " return 1"
    )
    driven = drive(source, limits=limits)
    assert driven.output == 1
    assert len(driven.notices()) == 1


def test_a_flood_of_lines_in_one_slice_is_capped_and_none_of_it_is_kept() -> None:
    driven = run(
        "await ctx.call('echo'); for (let i = 0; i < 1000; i++) console.log(i)",
        limits=HostLimits(journal_max_entries=100),
    )
    assert driven.error["code"] == "journal-cap"
    assert driven.bodies("log") == []


def test_results_of_what_runs_already_are_let_in_at_the_cap() -> None:
    body = "await ctx.parallel(Array.from({length: 10}, (_, i) => () => ctx.call('echo', i))); return 1"
    driven = run(body, limits=HostLimits(journal_max_entries=12))
    assert driven.output == 1
    assert len(driven.bodies("result")) == 10


def test_a_result_of_the_run_that_is_too_large_is_said_so() -> None:
    driven = run("return 'x'.repeat(300000)")
    assert driven.error["code"] == "result-too-large"
    assert "the limit is 262144" in driven.error["message"]
    assert run("return 'x'.repeat(262000)").output == "x" * 262_000
    assert (
        run("return 'x'.repeat(50)", limits=HostLimits(realm=Limits(result_max_bytes=40))).error["code"]
        == "result-too-large"
    )


def test_the_deadline_ends_a_run_that_computes_calls_or_waits() -> None:
    limits = HostLimits(deadline=START + 10_000)
    assert run("for (;;) await ctx.sleep(900)", limits=limits).error["code"] == "wall-timeout"
    assert (
        run("for (;;) await ctx.call('slow', {ms: 700})", limits=limits, effects=TimedEffects).error["code"]
        == "wall-timeout"
    )
    assert (
        run(
            "for (;;) await ctx.call('tx.echo')",
            limits=limits,
            tool=at_call(9, lambda: None),
            clock=MemoryClock(START + 10_000),
        ).error["code"]
        == "wall-timeout"
    )


def test_a_call_that_outlives_the_deadline_is_told_and_its_late_answer_recorded() -> None:
    tools = Tools()
    driven = run(
        "await ctx.call('slow', {ms: 15000})",
        limits=HostLimits(deadline=START + 10_000),
        effects=TimedEffects,
        tool=tools,
    )
    assert driven.error["code"] == "wall-timeout"
    assert tools.seen[0].cancelled.is_set()
    (late,) = driven.bodies("result")
    assert late["late"] is True


def test_the_deadline_ends_a_run_whose_main_has_returned_and_whose_call_has_not() -> None:
    driven = run(
        "ctx.call('slow', {ms: 60000}); return 1", limits=HostLimits(deadline=START + 10_000), effects=TimedEffects
    )
    assert driven.error["code"] == "wall-timeout"


def test_a_run_that_parks_beyond_its_deadline_ends_when_it_wakes() -> None:
    driven = run("await ctx.sleep(60000); await ctx.call('echo')", limits=HostLimits(deadline=START + 10_000))
    assert driven.error["code"] == "wall-timeout"
    assert driven.bodies("call") == []


def test_a_cancel_ends_the_run_at_the_next_turn_and_the_result_that_was_out_is_kept() -> None:
    control = Control()
    tool = at_call(2, lambda: setattr(control, "cancel", "asked by ada"))
    driven = run(
        "for (;;) await ctx.parallel([() => ctx.call('echo', 1), () => ctx.call('echo', 2)])",
        tool=tool,
        control=control,
    )
    assert isinstance(driven.outcome, Canceled)
    assert (driven.outcome.error["code"], driven.outcome.error["message"]) == ("canceled", "asked by ada")
    assert sorted(body["callSeq"] for body in driven.bodies("result"))[:2] == [1, 2]
    is_sound(driven.journal.entries)


def test_a_cancel_tells_the_tools_and_records_what_they_still_answer_without_delivering_it() -> None:
    control, tools = Control(), Tools()
    tool = at_call(1, lambda: setattr(control, "cancel", "x"))

    def both(call: Call) -> Completion:
        tools(call)
        return tool(call)

    driven = run(
        "await Promise.all([ctx.call('slow', {ms: 10}), ctx.call('slow', {ms: 20}).then(() => ctx.call('echo',"
        " 'never'))])",
        tool=both,
        control=control,
        effects=TimedEffects,
    )
    assert isinstance(driven.outcome, Canceled)
    assert tools.seen[1].cancelled.is_set()
    assert [body.get("late", False) for body in driven.bodies("result")] == [False, True]
    assert len(driven.bodies("call")) == 2


def test_handing_over_waits_for_what_is_out_until_the_time_is_over() -> None:
    control = Control()

    class Stopping(TimedEffects):
        """The worker is told to stop once a call is out."""

        def start(self, call: Call) -> None:
            super().start(call)
            control.release_at = START + 1_000

    driven = run("await ctx.call('slow', {ms: 5000})", control=control, effects=Stopping)
    assert isinstance(driven.outcome, Released)
    assert driven.kinds() == ["call"]
    control.release_at = None
    finished = run(
        "await ctx.call('slow', {ms: 500}); await ctx.sleep(100); return 1",
        control=control,
        effects=Stopping,
        advances=1,
    )
    assert isinstance(finished.outcome, Parked)
    assert finished.kinds() == ["call", "result", "timer"]


def test_a_run_that_was_handed_over_goes_on_elsewhere() -> None:
    source = script("return await ctx.call('slow', {ms: 5000, v: 7})")
    released = drive(source, control=Control(release_at=START + 1_000), effects=TimedEffects)
    resumed = drive(source, journal=released.journal, effects=TimedEffects)
    assert resumed.output == 7
    assert resumed.bodies("result")[0]["reexecuted"] is True


def test_handing_over_after_main_has_returned_leaves_the_rest_to_the_next() -> None:
    source = script("ctx.call('slow', {ms: 5000, v: 7}); return 'early'")
    released = drive(source, control=Control(release_at=START + 1_000), effects=TimedEffects)
    assert isinstance(released.outcome, Released)
    resumed = drive(source, journal=released.journal, effects=TimedEffects)
    assert resumed.output == "early"
    assert len(resumed.bodies("result")) == 1


class Fenced(MemoryJournal):
    """Refuses the n-th commit and all later ones."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.after = after

    def commit(self, round: Any) -> None:
        if len(self.rounds) >= self.after:
            raise FenceLost("run-1", 0)
        super().commit(round)


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_run_that_is_lost_lets_go_without_a_word(after: int) -> None:
    tools = Tools()
    driven = run("await ctx.call('echo', 1); await ctx.call('tx.echo', 2); return 1", journal=Fenced(after), tool=tools)
    assert isinstance(driven.outcome, Lost)
    assert len(driven.journal.rounds) == after
    assert len(tools.seen) <= after


def test_a_run_that_is_told_that_it_is_lost_stops_and_tells_its_tools() -> None:
    control, tools = Control(), Tools()
    tool = at_call(1, lambda: setattr(control, "lost", True))

    def both(call: Call) -> Completion:
        tools(call)
        return tool(call)

    driven = run(
        "await ctx.parallel([() => ctx.call('slow', {ms: 1}), () => ctx.call('slow', {ms: 2})])",
        control=control,
        tool=both,
        effects=TimedEffects,
    )
    assert isinstance(driven.outcome, Lost)
    assert not [round for round in driven.journal.rounds if round.ending]


def test_the_end_of_the_run_commits_with_its_last_entries() -> None:
    driven = run("await ctx.call('echo'); console.log('bye'); return 1")
    assert [entry.kind for entry in driven.journal.rounds[-1].entries] == ["result", "log"]
    assert driven.journal.rounds[-1].ending == Succeeded(1)


def test_the_cpu_of_new_work_is_told_with_each_round_and_replay_is_not_counted() -> None:
    source = script("for (let k = 0; k < 1e6; k++); await ctx.sleep(5000); return 1")
    driven = drive(source)
    first, *rest = [round.cpu_ms for round in driven.journal.rounds]
    assert first > 1
    assert sum(rest) < first / 2


def test_a_run_that_failed_replays_to_the_same_failure() -> None:
    body = "await ctx.call('echo'); throw new Error('x')"
    driven = run(body)
    assert isinstance(driven.outcome, Failed)
    replays_identically(script(body), driven)


def test_the_last_commit_lost_in_a_crash_is_made_again() -> None:
    source = script("await ctx.call('echo'); return 1")
    live = drive(source)
    resumed = drive(source, journal=cut(live.journal, len(live.journal.rounds) - 1))
    assert resumed.output == 1
