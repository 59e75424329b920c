"""C22, C23: nudges, leases and several workers, with real processes that are slow, frozen or too many."""

import os
import signal

from cases.engines import BOTH
from cases.installation import Installation, entries, look
from django_q.tasks import async_task
from helpers import eventually

from runs.nudges import TASK

pytestmark = BOTH
ENVIRON = {"DAYBOOK_WORKERS": "4", "DAYBOOK_LEASE_SECONDS": "2.4", "DAYBOOK_RENEW_SECONDS": "0.3"}


def test_c23_twenty_nudges_of_one_run_are_one_advance_at_a_time(house: Installation) -> None:
    """C23: one run nudged 20 times to 4 workers: one advance at a time; seq without gaps or doubles."""
    run = house.run("""
        const seen = []
        for (let i = 0; i < 4; i++) {
            seen.push(await ctx.call('tick', {}))
            await ctx.call('slow', {ms: 100})
            await ctx.sleep(250)
        }
        return seen""")
    for _ in range(4):
        for _ in range(5):
            async_task(TASK)
        before = len(house.executions(run))
        eventually(lambda before=before: len(house.executions(run)) > before or look(run).is_terminal)
    ended = house.succeeded(run)
    assert ended.output == [1, 2, 3, 4]
    assert house.counts(run) == {"slow": 4, "tick": 4}
    assert ended.fence == 5


def test_c22_a_tool_that_burns_for_three_leases_keeps_its_run(house: Installation) -> None:
    """C22: a tool burns CPU for three times the lease: no second copy."""
    run = house.run("return await ctx.call('burn', {ms: 7200})")
    ended = house.succeeded(run)
    assert house.counts(run) == {"burn": 1}
    assert ended.fence == 1
    assert ended.crashes == 0


def test_c22_a_frozen_holder_that_comes_back_is_refused(house: Installation) -> None:
    """C22: a lease that ends while its holder still works: the run goes on elsewhere, the late write is refused,
    nothing is doubled."""
    run = house.run("""
        const a = await ctx.call('tick', {})
        const b = await ctx.call('gate', {name: 'frozen'})
        return [a, b, await ctx.call('tick', {})]""")
    eventually(lambda: house.counts(run).get("gate") == 1)
    frozen = house.holder(run)
    os.kill(frozen, signal.SIGSTOP)
    try:
        eventually(lambda: house.counts(run).get("gate") == 2)
        house.open("frozen")
        ended = house.succeeded(run)
    finally:
        os.kill(frozen, signal.SIGCONT)
    assert ended.output == [1, "frozen", 2]
    # It wakes, finishes its tool, tries to write and lets go; it serves the next run that it claims.
    eventually(lambda: f"run {run.pk} lost in" in house.log(), what="the frozen worker lets go of the run")
    assert entries(run) == entries(look(run))
    house.succeeded(run)
    assert house.counts(run) == {"gate": 2, "tick": 2}
