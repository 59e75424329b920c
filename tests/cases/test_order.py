"""C1, C3, C4, C34: values and order are the same live and on replay."""

from cases.installation import Installation, entries
from helpers import eventually


def test_c1_the_winner_of_a_race_is_the_same_on_every_pass(house: Installation) -> None:
    """C1: race of a slow and a fast call, echo of the winner, sleep past the park threshold, return the winner: the
    fast one on both passes; echo ran once; nothing left over. The slow one answers once the echo has run."""
    run = house.run("""
        const slow = ctx.call('gate', {name: 'c1'})
        const winner = await Promise.race([slow, ctx.call('slow', {ms: 50, v: 'fast'})])
        const said = await ctx.call('counted', {v: winner})
        await ctx.sleep(1300)
        return [winner, said]""")
    eventually(lambda: house.counts(run).get("counted"))
    house.open("c1")
    ended = house.succeeded(run)
    assert ended.output == ["fast", "fast"]
    assert ended.fence >= 2, "it has not parked"
    assert house.counts(run) == {"counted": 1, "gate": 1, "slow": 1}
    assert len(entries(run, "result")) == 3


def test_c3_parallel_branches_keep_their_own_values(house: Installation) -> None:
    """C3: two parallel branches, the first the slower, each ending in tick({}): each keeps its own value on replay."""
    run = house.run("""
        const branch = async (tool, given) => { await ctx.call(tool, given); return ctx.call('tick', {}) }
        const both = await ctx.parallel([() => branch('gate', {name: 'c3'}), () => branch('slow', {ms: 10})])
        await ctx.sleep(150)
        return both""")
    eventually(lambda: house.counts(run).get("tick"))
    house.open("c3")
    ended = house.succeeded(run)
    assert ended.output == [2, 1]
    assert ended.fence >= 2
    assert house.counts(run) == {"gate": 1, "slow": 1, "tick": 2}


def test_c4_equal_calls_are_five_calls(house: Installation) -> None:
    """C4: five times tick({}), then a one-second sleep: 1 to 5, never a cached 1."""
    run = house.run("""
        const seen = []
        for (let i = 0; i < 5; i++) seen.push(await ctx.call('tick', {}))
        await ctx.sleep(ctx.seconds(1))
        return seen""")
    ended = house.succeeded(run)
    assert ended.output == [1, 2, 3, 4, 5]
    assert ended.fence >= 2
    assert house.counts(run) == {"tick": 5}


def test_c34_a_call_that_nobody_awaits_is_finished_before_the_run_ends(house: Installation) -> None:
    """C34: a write call not awaited, then return: finished and journaled before the run ends."""
    run = house.run("ctx.call('slow', {ms: 300, v: 'written'}); return 'gone'")
    ended = house.succeeded(run)
    assert ended.output == "gone"
    (result,) = entries(run, "result")
    assert result.body["output"] == "written"
    assert ended.finished_at.timestamp() * 1000 >= result.at - 1
