"""A worker that stands still for longer than its lease (no processor, a paused machine) just before it would start a
call or an agent: when it comes back, another has done that, and it starts nothing."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases.engines import BOTH
from cases.installation import Installation
from cases.verdict import executed_after_their_end
from helpers import eventually

from runs.models import Run

pytestmark = BOTH
ENVIRON = {"DAYBOOK_WORKERS": "3", "DAYBOOK_RESIDENT_SLEEP_MS": "10000"}
POINTS = pytest.mark.parametrize("point", ["before-thread", "on-thread"])


@contextlib.contextmanager
def one_stopped(house: Installation) -> Iterator[None]:
    """Inside, a worker has stopped itself at the armed point; then it goes on."""
    pid = eventually(lambda: next((pid for pid in house.workers() if stands_still(pid)), None), what="a worker stops")
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def stands_still(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    return False


def assert_let_go(house: Installation, run: Run) -> None:
    eventually(lambda: f"run {run.pk} lost in" in house.log(), what="the worker that had stopped lets go of the run")
    assert executed_after_their_end(run, house.executions(run)) == []


@POINTS
def test_a_call_that_was_written_is_not_started_after_another_has_ended_it(house: Installation, point: str) -> None:
    """Stopped between the commit of the call and its start."""
    run = house.run(
        """
        await ctx.call('arm', {point: input, stop: true})
        return [await ctx.call('tick', {}), await ctx.call('tick', {})]""",
        input=point,
    )
    with one_stopped(house):
        assert house.succeeded(run).output == [1, 2]
    assert_let_go(house, run)
    assert house.counts(run) == {"tick": 2}


@POINTS
def test_a_call_that_is_executed_again_is_not_started_a_third_time(house: Installation, point: str) -> None:
    """The first holder dies with the call out; the second stops between its replay, which has nothing to commit, and
    the start; the third ends it."""
    run = house.run(f"return await ctx.call('gate', {{name: 'third-{point}'}})")
    eventually(lambda: house.counts(run).get("gate") == 1)
    house.arm(point, stop=True)
    house.kill_holder(run)
    with one_stopped(house):
        house.open(f"third-{point}")
        house.succeeded(run)
    assert_let_go(house, run)
    assert house.counts(run) == {"gate": 2}


def test_the_next_attempt_of_a_call_is_not_started_after_another_has_ended_it(house: Installation) -> None:
    """Stopped at the end of the pause between two attempts."""
    run = house.run("""
        const failing = ctx.call('flaky', {good_at: 2}, {retry: {maxAttempts: 3, backoffMs: 4000}})
        await ctx.call('arm', {point: 'before-thread', stop: true})
        return await failing""")
    with one_stopped(house):
        assert house.succeeded(run).output == 2
    assert_let_go(house, run)
    assert [one.attempt for one in house.executions(run)] == [1, 2]


@POINTS
def test_an_agent_that_begins_anew_is_not_started_a_third_time(house: Installation, point: str) -> None:
    """Its first holder dies; the second stops between its claim and the start of the agent; the third ends it."""
    run = house.run("return await ctx.delegate({agent: 'worker', input: {gate: input, v: 7}})", input=f"agent-{point}")
    house.parked(run)
    child = Run.objects.get(parent=run)
    eventually(lambda: house.counts(child).get("worker") == 1)
    house.arm(point, stop=True)
    house.kill_holder(child)
    with one_stopped(house):
        house.open(f"agent-{point}")
        assert house.succeeded(run).output == 7
    assert_let_go(house, child)
    assert house.counts(child) == {"worker": 2}
