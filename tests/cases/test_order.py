"""C1, C3, C4, C34: values and order are the same live and on replay."""

from cases.installation import Installation, entries


def test_c1_the_winner_of_a_race_is_the_same_on_every_pass(house: Installation) -> None:
    """C1: race of slow 900 ms and slow 50 ms, echo of the winner, sleep past the park threshold, return the winner:
    the fast one on both passes; echo ran once; nothing left over."""
    run = house.run("""
        const slow = (ms, v) => ctx.call('slow', {ms, v})
        const winner = await Promise.race([slow(900, 'slow'), slow(50, 'fast')])
        const said = await ctx.call('counted', {v: winner})
        await ctx.sleep(1300)
        return [winner, said]""")
    ended = house.succeeded(run)
    assert ended.output == ["fast", "fast"]
    assert ended.fence >= 2, "it has not parked"
    assert house.counts(run) == {"counted": 1, "slow": 2}
    assert len(entries(run, "result")) == 3


def test_c3_parallel_branches_keep_their_own_values(house: Installation) -> None:
    """C3: two parallel branches of different delay, each ending in tick({}): each keeps its own value on replay."""
    run = house.run("""
        const branch = async (ms) => { await ctx.call('slow', {ms}); return ctx.call('tick', {}) }
        const both = await ctx.parallel([() => branch(200), () => branch(10)])
        await ctx.sleep(150)
        return both""")
    ended = house.succeeded(run)
    assert ended.output == [2, 1]
    assert ended.fence >= 2
    assert house.counts(run) == {"slow": 2, "tick": 2}


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
