"""Keys of any length match on replay: the engine keeps long texts in pieces, and may tell equal ones apart."""

import pytest
from driving import replays_identically, run, script
from post import Post

from runs.host.memory import MemoryClock

EFFECTS = {
    "a call": "ctx.call('echo', {text: 'x'.repeat(size) + n, n})",
    "a child": "ctx.delegate({script: 'x'.repeat(size), input: {text: 'y'.repeat(size), n}})",
    "a line": "ctx.log('info', 'x'.repeat(size) + n, {text: 'y'.repeat(size)})",
    "a plan": "ctx.plan({title: 'p', steps: ['x'.repeat(200) + n, ...'x'.repeat(size / 100).split('')]})",
    "a wait": "ctx.waitForEvent({signal: 'x'.repeat(size) + n}, {timeout: 5000 + n})",
}


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("size", [100, 300, 600, 900, 3000, 9000, 20_000])
def test_a_long_key_matches(effect: str, size: int) -> None:
    """Several at once, of which some are answered and some are open while the run parks."""
    body = f"""const size = {size};
      const all = await ctx.parallel([0, 1, 2, 3, 4].map((n) => async () => {{
        const got = {EFFECTS[effect]}; await ctx.sleep(2000 * n + 1500); await got; return n }}));
      await ctx.sleep(60000); return all"""
    driven = run(body, journal=Post(MemoryClock(), lambda child: (child.call_seq * 1000, True, child.call_seq)))
    assert driven.output == [0, 1, 2, 3, 4]
    replays_identically(script(body), driven)
