"""C25: the database or the broker is away for a while, or has forgotten everything: every run is picked up later."""

import time
from collections.abc import Iterator

import pytest
import redis
from cases.installation import Installation
from cases.verdict import executed_after_their_end, executed_again_without_mark
from helpers import PATIENCE, eventually
from proxy import Door

from runs import nudges
from runs.lifecycle import Status
from runs.models import Run

pytestmark = [
    *(pytest.mark.postgres, pytest.mark.redis),
    pytest.mark.parametrize("engine", ["postgres"], indirect=True, scope="module"),
]
RUNNING = False
ENVIRON = {"DAYBOOK_MAX_CRASHES": "50"}
DOWN_SECONDS = 3
# Sleeps that end before, during and after an outage, and calls that are out in it.
SCRIPT = """
const seen = []
for (let i = 0; i < 6; i++) {
    seen.push(await ctx.call('counted', {v: i}))
    await ctx.parallel([() => ctx.call('slow', {ms: 100}), () => ctx.sleep(100 + (input * 61 + i * 37) % 900)])
}
return seen
"""


@pytest.fixture
def stopped(house: Installation) -> Iterator[Installation]:
    """The installation; what a test starts in it is stopped at its end. Redis holds no sign of earlier workers."""
    flush(house)
    yield house
    house.close()
    house.started.clear()


def all_are_picked_up(house: Installation, runs: list[Run]) -> None:
    for run in runs:
        assert house.succeeded(run, within=2 * PATIENCE).output == [0, 1, 2, 3, 4, 5]
        executions = house.executions(run)
        assert executed_after_their_end(run, executions) == []
        assert executed_again_without_mark(run, executions) == set()


@pytest.mark.parametrize(
    "away", [Door.shut, pytest.param(Door.hush, marks=pytest.mark.heavy)], ids=["refuses", "hangs"]
)
def test_c25_postgres_is_down_for_three_seconds_while_the_clock_sweeps(stopped: Installation, away: object) -> None:
    """C25, first half. The server goes on: a door before it is shut, so that all its connections break at once, or
    lets nothing through. Runs that were held, asleep or queued then, and those queued meanwhile, all end."""
    house = stopped
    door, through = Door.before(house.environ["DATABASE_URL"])
    with door:
        clock = house.start("runclock", "--skip-checks", DATABASE_URL=through)
        cluster = house.start("qcluster", "--skip-checks", DATABASE_URL=through)
        runs = [house.run(SCRIPT, input=number) for number in range(12)]
        eventually(lambda: {Status.RUNNING, Status.WAITING} <= set(statuses(runs)))
        back = time.monotonic() + DOWN_SECONDS
        away(door)  # type: ignore[operator]
        runs += [house.run(SCRIPT, input=number) for number in range(4)]
        eventually(lambda: time.monotonic() >= back)
        # A claim that had come to the server before may take one of them after; no answer leads to its end.
        assert set(statuses(runs[-4:])) <= {Status.QUEUED, Status.RUNNING}
        door.open()
        all_are_picked_up(house, runs)
        assert clock.poll() is cluster.poll() is None, "nobody has to start them again"
    if away is Door.shut:
        assert "clock: the database does not answer" in house.log()
        assert "clock: the database answers again" in house.log()


def test_c25_redis_is_flushed_while_runs_are_queued(stopped: Installation) -> None:
    """C25, second half: all nudges are gone, and those of the clock are enough."""
    house = stopped
    runs = [house.run(SCRIPT, input=number) for number in range(12)]
    assert nudges.pending()
    flush(house)
    assert not nudges.pending()
    house.begin()
    all_are_picked_up(house, runs)


def test_c25_redis_is_flushed_again_and_again_while_runs_are_under_way(stopped: Installation) -> None:
    house = stopped
    house.begin()
    runs = [house.run(SCRIPT, input=number) for number in range(12)]
    while statuses(runs) != [Status.SUCCEEDED]:
        flush(house)
        pause = time.monotonic() + 0.05
        eventually(lambda pause=pause: time.monotonic() >= pause)
        assert Status.FAILED not in statuses(runs)
    all_are_picked_up(house, runs)


@pytest.mark.heavy
def test_redis_is_down_for_three_seconds_while_runs_are_under_way(stopped: Installation) -> None:
    house = stopped
    door, through = Door.before(house.environ["REDIS_URL"])
    with door:
        house.start("runclock", "--skip-checks", REDIS_URL=through)
        house.start("qcluster", "--skip-checks", REDIS_URL=through)
        runs = [house.run(SCRIPT, input=number) for number in range(12)]
        eventually(lambda: Status.RUNNING in statuses(runs))
        back = time.monotonic() + DOWN_SECONDS
        door.shut()
        runs += [house.run(SCRIPT, input=number) for number in range(4)]
        eventually(lambda: time.monotonic() >= back)
        door.open()
        all_are_picked_up(house, runs)


def statuses(runs: list[Run]) -> list[str]:
    """Those that there are, each once."""
    ids = [run.pk for run in runs]
    return list(Run.objects.filter(pk__in=ids).order_by().values_list("status", flat=True).distinct())


def flush(house: Installation) -> None:
    with redis.Redis.from_url(house.environ["REDIS_URL"]) as client:
        client.flushdb()
