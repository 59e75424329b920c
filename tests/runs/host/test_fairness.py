"""Nothing that is ready keeps something else waiting, and what has ended is on disk before the next wait."""

from driving import TimedEffects, results, run

from runs.host import Control


def test_timers_that_are_always_due_do_not_keep_a_result_waiting() -> None:
    body = """
        let rounds = 0, seen = 0;
        const call = ctx.call('slow', {ms: 20, v: 1}).then(() => { seen = rounds });
        while (!seen && rounds < 500) { await ctx.sleep(1); rounds++ }
        await call;
        return seen"""
    assert 0 < run(body, effects=TimedEffects).output <= 30


def test_the_result_of_a_call_left_behind_is_committed_before_the_next_one_is_waited_for() -> None:
    driven = run("ctx.call('slow', {ms: 10}); ctx.call('slow', {ms: 5000}); return 1", effects=TimedEffects)
    answered = [results(round.entries) for round in driven.journal.rounds]
    assert [calls for calls in answered if calls] == [[1], [2]]


def test_a_worker_that_stops_starts_nothing_more() -> None:
    control = Control(release_at=0)
    driven = run("await ctx.call('echo', {v: 1}); return 1", control=control, advances=1)
    assert driven.kinds() == ["call"]
    assert driven.effects.executed == []


def test_parking_and_its_round_are_one_commit() -> None:
    driven = run("await ctx.log('a'); await ctx.sleep(60000); return 1", advances=1)
    assert [len(round.entries) for round in driven.journal.rounds] == [2]
