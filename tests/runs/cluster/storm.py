"""Run inside an installation: kills idle workers and tells, one JSON line at the end, how many tasks still ran.

Usage: storm.py FOLDER ROUNDS PATIENCE_SECONDS
"""

import json
import os
import random
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]
sys.path.append(str(ROOT / "platform"))


def main(folder: Path, rounds: int, patience: float) -> None:
    from chores import wait_until, worker_pids

    ran = kills = 0
    assert wait_until(lambda: len(worker_pids()) == 2)
    for number in range(rounds):
        before = worker_pids()
        # Every third time all of them: whoever held what a cluster needs is then surely dead.
        victims = before if number % 3 == 0 else [random.choice(before)]
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
            kills += 1
        ran += _goes_on(folder / f"ran-{number}", patience)
        assert wait_until(lambda gone=set(victims): len(worker_pids()) == 2 and not gone & set(worker_pids()))
    print(json.dumps({"rounds": rounds, "ran": ran, "kills": kills}))


def _goes_on(mark: Path, patience: float) -> bool:
    """Whether the cluster still takes tasks. One message may be lost with the process that had just taken it, as nudges
    may be, and Redis keeps no copy; so a second one is sent before the cluster is given up."""
    from chores import wait_until
    from django_q.tasks import async_task

    for within in (min(5, patience), patience):
        async_task("os.makedirs", str(mark), exist_ok=True)
        if wait_until(mark.exists, within=within):
            return True
    return False


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
