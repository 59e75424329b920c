"""A process killed at each named point between two things that belong together: same outcome, nothing doubled."""

from unittest.mock import patch

import pytest
from cases.engines import BOTH
from cases.installation import Installation, entries
from helpers import eventually, kill

from runs.models.store import StoreItem

pytestmark = BOTH
ENVIRON = {"DAYBOOK_WORKERS": "3"}

SCRIPT = """
    const a = await ctx.call('tick', {})
    await ctx.call('arm', {point: input})
    const [b, c] = await ctx.parallel([() => ctx.call('counted', {v: 'b'}), () => ctx.call('tick', {})])
    await ctx.sleep(150)
    const d = await ctx.call('store.put', {key: ctx.runId, value: a})
    const e = await ctx.call('tick', {})
    await ctx.sleep(150)
    return [a, b, c > a, d.created, e > c]"""
# Points at which the results of calls that have ended may not be on disk yet: these calls run again.
REPEATED = {"before-commit", "inside-commit", "after-commit", "after-tool", "before-park", "inside-park"}


def reached(house: Installation, point: str) -> bool:
    return (house.folder / "armed" / f"{point}.reached").exists()


@pytest.mark.parametrize(
    "point",
    [
        "before-commit",
        "inside-commit",
        "after-commit",
        "after-tool",
        "before-park",
        "inside-park",
        "after-park",
        "after-claim",
        "before-end",
        "inside-end",
        "after-end",
        "inside-wake",
        "after-wake",
    ],
)
def test_a_process_killed_at_a_named_point_costs_nothing(house: Installation, point: str) -> None:
    """Killed before, in and after a commit, a park, a wake, a claim or its end, a run ends as if nothing had been."""
    run = house.run(SCRIPT, input=point)
    if point.endswith("-wake"):
        eventually(lambda: house.clock.poll() is not None)
        house.clock = house.start("runclock", "--skip-checks")
    ended = house.succeeded(run)
    assert reached(house, point), "the point was never reached"
    assert ended.output == [1, "b", True, True, True]
    counts = house.counts(run)
    repeated = sum(counts.values()) - 4
    assert repeated <= 2 if point in REPEATED else repeated == 0, counts
    marked = sum(1 for entry in entries(run, "result") if entry.body.get("reexecuted"))
    assert repeated <= marked + (point in {"before-commit", "inside-commit"}), (
        "a call was executed again and not marked"
    )
    assert StoreItem.objects.get(key=run.pk).value == 1


def test_a_transactional_tool_is_done_exactly_once(house: Installation) -> None:
    """Killed between the effect of a transactional tool and its commit, the tool has left no trace and runs once."""
    run = house.run("""
        await ctx.call('arm', {point: 'inside-around'})
        return await ctx.call('store.put', {key: ctx.runId + 'once', value: 1})""")
    assert house.succeeded(run).output == {"created": True}
    assert reached(house, "inside-around")
    assert len(entries(run, "call")) == len(entries(run, "result")) == 2


def test_a_clock_that_dies_is_made_good_by_any_other(house: Installation) -> None:
    """Two clocks run; one is killed in the middle of its work; every parked run is woken."""
    second = house.start("runclock", "--skip-checks")
    house.arm("inside-wake")
    runs = [house.run("await ctx.sleep(400); return await ctx.call('tick', {})") for _ in range(10)]
    eventually(lambda: second.poll() is not None or house.clock.poll() is not None)
    assert [house.succeeded(run).output for run in runs] == [1] * 10
    kill(*(clock.pid for clock in (second, house.clock) if clock.poll() is None))
    house.clock = house.start("runclock", "--skip-checks")


def test_a_run_whose_nudge_was_lost_is_nudged_again(house: Installation) -> None:
    """The process that starts a run dies between its commit and the nudge: the clock finds the run."""
    with patch("runs.starting.nudge"):
        run = house.run("return await ctx.call('tick', {})")
    assert house.succeeded(run).output == 1
