"""A cluster that is told to stop lets its resident runs drain, and waits for nobody beyond that."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import PATIENCE, House, alive, descendants, eventually

HERE = str(Path(__file__).resolve().parent)


@pytest.fixture
def slow_house(make_house: Callable[..., House]) -> House:
    # The tasks of these tests are found by name on the path.
    return make_house(PYTHONPATH=HERE, DAYBOOK_DRAIN_SECONDS="1.5", DAYBOOK_WORKERS="1")


@pytest.fixture
def patient_house(make_house: Callable[..., House]) -> House:
    """A drain that no test could wait for: what stops all the same has not waited for it."""
    return make_house(PYTHONPATH=HERE, DAYBOOK_DRAIN_SECONDS="3000", DAYBOOK_WORKERS="1")


@pytest.fixture
def cluster(slow_house: House) -> subprocess.Popen[str]:
    return slow_house.start("qcluster")


def enqueue(house: House, task: str, *arguments: object) -> None:
    house.shell(f"from django_q.tasks import async_task\nasync_task('chores.{task}', *{arguments!r})")


def stop(cluster: subprocess.Popen[str]) -> None:
    """SIGTERM to the main process, which ends and leaves nobody behind."""
    below = descendants(cluster.pid)
    cluster.terminate()
    assert cluster.wait(timeout=PATIENCE) == 0
    assert not [pid for pid in below if alive(pid)]


def test_an_idle_cluster_stops_without_a_drain(patient_house: House) -> None:
    cluster = patient_house.start("qcluster")
    eventually(lambda: len(descendants(cluster.pid)) == 4)
    stop(cluster)


def test_a_worker_ends_only_when_the_threads_of_its_resident_runs_have(
    slow_house: House, cluster: subprocess.Popen[str]
) -> None:
    folder = slow_house.folder
    enqueue(slow_house, "leave_resident", str(folder), 1.0)
    eventually((folder / "residing").exists)
    stop(cluster)
    assert (folder / "drained").exists()


def test_a_task_that_claims_for_long_sees_the_stop(patient_house: House) -> None:
    cluster, folder = patient_house.start("qcluster"), patient_house.folder
    enqueue(patient_house, "claim_until_stopped", str(folder))
    eventually((folder / "claiming").exists)
    stop(cluster)
    assert (folder / "saw-stop").exists()


@pytest.mark.parametrize("task", ["get_stuck", "leave_resident"])
def test_a_worker_that_does_not_end_is_killed_after_the_drain(
    slow_house: House, cluster: subprocess.Popen[str], task: str
) -> None:
    folder = slow_house.folder
    enqueue(slow_house, task, str(folder), *([600.0] if task == "leave_resident" else []))
    eventually((folder / ("stuck" if task == "get_stuck" else "residing")).exists)
    stop(cluster)  # long before the ten minutes that they would take
    assert "is killed" in slow_house.log()


def test_tasks_that_wait_behind_a_stuck_one_do_not_hold_up_the_stop(
    slow_house: House, cluster: subprocess.Popen[str]
) -> None:
    folder = slow_house.folder
    enqueue(slow_house, "get_stuck", str(folder))
    eventually((folder / "stuck").exists)
    slow_house.shell("from django_q.tasks import async_task\nfor n in range(20): async_task('os.mkdir', f'never-{n}')")
    stop(cluster)


def test_the_cluster_goes_on_after_a_task_ended_its_worker(slow_house: House, cluster: subprocess.Popen[str]) -> None:
    folder = slow_house.folder
    enqueue(slow_house, "die", str(folder))
    eventually((folder / "died").exists)
    enqueue(slow_house, "leave_resident", str(folder), 0.0)
    eventually((folder / "drained").exists)
    stop(cluster)
