"""Tasks for clusters under test, and the reader of a cluster's own status."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from django_q.status import Stat

from runs.cluster.stopping import stopping


def worker_pids() -> list[int]:
    """The workers of the only running cluster, as its sentinel last wrote them to the cache; empty when none does."""
    stats = Stat.get_all()
    return list(stats[0].workers) if len(stats) == 1 else []


def wait_until(condition: Callable[[], bool], within: float = 60) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def leave_resident(folder: str, seconds: float) -> None:
    """Return at once and leave a non-daemon thread behind, as a resident run does; it leaves a mark when it ends."""

    def reside() -> None:
        (Path(folder) / "residing").mkdir()
        time.sleep(seconds)
        (Path(folder) / "drained").mkdir()

    threading.Thread(target=reside).start()


def claim_until_stopped(folder: str) -> None:
    """Work until the cluster is told to stop."""
    (Path(folder) / "claiming").mkdir()
    wait_until(stopping, within=3000)
    (Path(folder) / "saw-stop").mkdir()


def get_stuck(folder: str) -> None:
    """Work for far longer than any stop may take."""
    (Path(folder) / "stuck").mkdir()
    time.sleep(600)


def die(folder: str) -> None:
    """End the worker the way a watchdog does."""
    (Path(folder) / "died").mkdir()
    os._exit(70)
