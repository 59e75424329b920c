"""A cluster goes on when its processes are killed. Real processes, a real database."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers import PATIENCE, House, alive, children, descendants, eventually, kill

HERE = Path(__file__).resolve().parent
FACTOR = int(os.environ.get("DAYBOOK_STORM", "1"))


def storm(house: House, rounds: int, patience: float) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, str(HERE / "storm.py"), str(house.folder), str(rounds), str(patience)],
        env=house.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, int] = json.loads(done.stdout)
    return result


@pytest.fixture
def cluster(house: House) -> subprocess.Popen[str]:
    return house.start("qcluster")


@pytest.fixture
def stock_cluster(house: House) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(HERE / "stock_qcluster.py")],
        env=house.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield process
    kill(*descendants(process.pid))
    process.kill()
    process.wait()


@pytest.mark.storm
def test_the_stock_cluster_hangs_for_ever_once_its_idle_workers_were_killed(
    house: House, stock_cluster: subprocess.Popen[str]
) -> None:
    assert storm(house, rounds=1, patience=4) == {"rounds": 1, "ran": 0, "kills": 2}


@pytest.mark.storm
@pytest.mark.usefixtures("cluster")
def test_every_task_runs_although_idle_workers_are_killed_before_each(house: House) -> None:
    rounds = 10 * FACTOR
    result = storm(house, rounds=rounds, patience=60)
    assert result["ran"] == rounds
    assert result["kills"] > rounds


@pytest.mark.storm
@pytest.mark.postgres
@pytest.mark.redis
def test_the_same_holds_on_postgresql_with_redis(
    make_house: Callable[..., House], postgres_url: str, redis_url: str
) -> None:
    house = make_house(DATABASE_URL=postgres_url, REDIS_URL=redis_url)
    house.manage("migrate", "--verbosity", "0")
    house.start("qcluster")
    rounds = 5 * FACTOR
    assert storm(house, rounds=rounds, patience=60)["ran"] == rounds


def test_no_process_outlives_a_killed_main_process(house: House, cluster: subprocess.Popen[str]) -> None:
    # The sentinel, two workers, the monitor and the pusher.
    below = eventually(lambda: pids if len(pids := descendants(cluster.pid)) == 5 else None)
    cluster.kill()
    cluster.wait()
    eventually(lambda: not [pid for pid in below if alive(pid)])


def test_no_process_outlives_a_killed_sentinel_and_the_command_says_so(
    house: House, cluster: subprocess.Popen[str]
) -> None:
    below = eventually(lambda: pids if len(pids := descendants(cluster.pid)) == 5 else None)
    kill(*children(cluster.pid))
    assert cluster.wait(timeout=PATIENCE) == 1
    eventually(lambda: not [pid for pid in below if alive(pid)])
    assert "ended unexpectedly" in house.log()


def test_a_term_to_the_whole_process_group_ends_it(cluster: subprocess.Popen[str]) -> None:
    below = eventually(lambda: pids if len(pids := descendants(cluster.pid)) == 5 else None)
    os.killpg(cluster.pid, signal.SIGTERM)
    cluster.wait(timeout=PATIENCE)
    eventually(lambda: not [pid for pid in below if alive(pid)])
