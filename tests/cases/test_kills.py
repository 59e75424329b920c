"""C5, C20: a worker is killed with a run in its memory, and another goes on from the journal."""

from cases.engines import BOTH
from cases.installation import Installation, entries, look
from helpers import eventually

pytestmark = BOTH
ENVIRON = {"DAYBOOK_WORKERS": "3"}


def test_c5_after_a_kill_only_the_call_without_a_result_runs_again(house: Installation, engine: str) -> None:
    """C5: three tools in parallel, kill after the second result, another worker resumes: only the third runs."""
    run = house.run("""
        const all = await ctx.parallel([
            () => ctx.call('slow', {ms: 30, v: 'a'}),
            () => ctx.call('counted', {v: 'b'}),
            () => ctx.call('gate', {name: 'c5'})])
        await ctx.sleep(150)
        return all""")
    eventually(lambda: len(entries(run, "result")) == 2)
    killed = house.kill_holder(run)
    eventually(lambda: house.counts(run)["gate"] == 2)
    house.open("c5")
    assert house.succeeded(run).output == ["a", "b", "c5"]
    assert house.counts(run) == {"counted": 1, "gate": 2, "slow": 1}
    first, second = (execution for execution in house.executions(run) if execution.tool == "gate")
    assert first.token == second.token
    assert first.pid == killed != second.pid


def test_c20_an_effect_without_a_result_is_executed_again_with_the_same_token(house: Installation) -> None:
    """C20: kill inside tick, after its effect, before its result: the tool sees the same token again; the entry is
    marked as re-executed."""
    run = house.run("""
        const before = await ctx.call('tick', {})
        const died = await ctx.call('die_once', {})
        await ctx.sleep(150)
        return [before, died, await ctx.call('tick', {})]""")
    assert house.succeeded(run).output == [1, 2, 2]
    assert house.counts(run) == {"die_once": 2, "tick": 2}
    first, second = (execution for execution in house.executions(run) if execution.tool == "die_once")
    assert first.token == second.token
    assert first.pid != second.pid
    marked = [entry.call_seq for entry in entries(run, "result") if entry.body.get("reexecuted")]
    assert marked == [first.call_seq]


def test_a_call_that_takes_its_worker_down_every_time_ends_its_run(house: Installation) -> None:
    """A run whose tool kills its worker every time ends as interrupted after max_crashes, and names what to do."""
    run = house.run("await ctx.call('tick', {}); await ctx.call('die_always', {})")
    error = house.failed(run, "interrupted")
    assert "3 workers died" in error["message"]
    assert house.counts(run) == {"die_always": 3, "tick": 1}
    assert look(run).crashes == 3


def test_deaths_at_different_places_do_not_add_up(house: Installation) -> None:
    """A crash is not the run's fault: five deaths, each after another entry, cost no attempt."""
    run = house.run("""
        const seen = []
        for (let i = 0; i < 5; i++) seen.push(await ctx.call('die_once', {}))
        return seen""")
    ended = house.succeeded(run)
    assert ended.output == [2, 4, 6, 8, 10]
    assert ended.attempt == 1


def test_a_pause_before_the_next_attempt_survives_a_kill(house: Installation) -> None:
    """A retryable failure waits out its backoff; a kill before and during it costs no attempt and repeats none."""
    run = house.run("""
        return [await ctx.call('flaky', {good_at: 3}, {retry: {maxAttempts: 5, backoffMs: 300, maxBackoffMs: 2000}}),
                await ctx.call('die_once', {})]""")
    assert house.succeeded(run).output == [3, 2]
    assert house.counts(run) == {"die_once": 2, "flaky": 3}
    assert [execution.attempt for execution in house.executions(run) if execution.tool == "flaky"] == [1, 2, 3]


def test_an_attempt_that_was_executed_again_is_marked_although_it_failed(house: Installation) -> None:
    """C20 with a retry: the attempt that died, ran again and then failed for good reason is marked all the same."""
    run = house.run("""
        return await ctx.call('flaky', {good_at: 2, die: true}, {retry: {maxAttempts: 3, backoffMs: 10}})""")
    assert house.succeeded(run).output == 2
    assert [execution.attempt for execution in house.executions(run)] == [1, 1, 2]
    assert any(entry.body.get("reexecuted") for entry in entries(run))
