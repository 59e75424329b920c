"""`make bench`: how fast the engine is on this machine, as one JSON object on standard output.

Each figure that depends on the disk stands beside the rate of the bare file system in the same run, because machines
differ and drift; the ratio is what to compare. Uses a temporary folder and, with `--postgres URL` and `--redis URL`, an
empty database of the caller's instead.
"""

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from work import SUM, advance, claimed

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", help="URL of an empty database to use in place of SQLite")
    parser.add_argument("--redis", help="URL of a Redis database to use as broker")
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--part", choices=["engine", "watching"], help="measure only that (default: both)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-bench-") as folder:
        prepare(folder, options)
        print(json.dumps(measure(Path(folder), options), indent=2))


def prepare(folder: str, options: argparse.Namespace) -> None:
    os.environ |= {"DAYBOOK_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
    os.environ |= {"DATABASE_URL": options.postgres or "", "REDIS_URL": options.redis or ""}
    sys.path[:0] = [str(ROOT)]
    sys.path.append(str(ROOT / "platform"))
    manage("migrate", "--verbosity", "0").wait()
    import django

    django.setup()


def manage(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), *arguments], stdout=sys.stderr, start_new_session=True
    )


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    import watching  # after Django is set up

    figures: dict[str, Any] = {"database": "postgresql" if options.postgres else "sqlite"}
    if options.part != "watching":
        figures |= engine(folder, options)
    if options.part != "engine":
        figures["watching"] = watching.measure(folder, options.calls)
    return figures


def engine(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    commits, calls = [], []
    for _ in range(ROUNDS):  # in turn, so that both see the same drift of the machine
        commits.append(raw_commits_per_s(folder))
        calls.append(calls_per_s(options.calls))
    return {
        "raw_commits_per_s": round(statistics.median(commits)),
        "calls_per_s": round(statistics.median(calls)),
        "calls_per_raw_commit": round(statistics.median(c / r for c, r in zip(calls, commits, strict=True)), 3),
        "replayed_entries_per_s": round(replayed_entries_per_s()),
        "realm_start_ms": round(realm_start_ms(), 3),
        "one_call_runs_per_s_two_workers": round(runs_per_s(options.runs), 1),
    }


def raw_commits_per_s(folder: Path, count: int = 1_000) -> float:
    """Single-row commits of SQLite with full sync on the same file system: what the disk can do at best."""
    path = folder / "raw.sqlite3"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, data BLOB)")
        began = time.perf_counter()
        for _ in range(count):
            connection.execute("INSERT INTO row (data) VALUES (?)", [b"x" * 150])
        return count / (time.perf_counter() - began)


def calls_per_s(count: int) -> float:
    """Sequential calls of one run, each journaled before and after, as a worker does it."""
    run = claimed(SUM % "", count)
    began = time.perf_counter()
    advance(run)
    return count / (time.perf_counter() - began)


def replayed_entries_per_s() -> float:
    """From the rows of a journal of 4,800 entries to the realm that stands where it ended."""
    run = claimed(SUM % "await ctx.sleep(3600000);", 2_399)  # and a timer, and one notice that the journal fills up
    advance(run)
    from journal import store
    from journal.replay import fold
    from runs.realm import Limits, Realm, Table

    def replay() -> int:
        entries = store.read(run.journal_id, superseded=False)
        folded = fold(entries)
        realm = Realm(Limits())
        table = Table(folded.groups, folded.completions, folded.call_seq)
        realm.load(run.source.text, table, input=run.input, run_id=run.pk, now=0)
        realm.start()
        while realm.replay_next():
            pass
        assert realm.divergence() is None
        assert not [message for message in realm.drain() if not getattr(message, "again", True)]
        return len(entries)

    return statistics.median(rate(replay) for _ in range(5))


def rate(work: Callable[[], int]) -> float:
    began = time.perf_counter()
    done = work()
    return done / (time.perf_counter() - began)


def realm_start_ms(count: int = 200) -> float:
    """A fresh realm with a one-line script, started."""
    from runs.realm import Limits, Realm, Table

    def start() -> None:
        realm = Realm(Limits())
        realm.load("export default async () => 1", Table(), input=None, run_id="r", now=0)
        realm.start()

    times = []
    for _ in range(count):
        began = time.perf_counter()
        start()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def runs_per_s(count: int) -> float:
    """Start `count` runs of one call each and wait for the last to end; two worker processes are up already."""
    from runs.models import Run
    from runs.starting import start

    os.environ["DAYBOOK_WORKERS"] = "2"
    processes = [manage("qcluster"), manage("runclock")]
    try:
        ended([start(SUM % "", input={"calls": 1}).run.pk for _ in range(20)])  # until both are warm
        rates = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            ended([start(SUM % "", input={"calls": 1}).run.pk for _ in range(count)])
            rates.append(count / (time.perf_counter() - began))
        assert not Run.objects.filter(status="failed").exists()
        return statistics.median(rates)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=30)


def ended(ids: list[str], within: float = 120) -> None:
    from runs.models import Run

    until = time.monotonic() + within
    # Ids grow with time, and nobody else starts runs here. To ask for each by its id would cost as much as the runs.
    while Run.objects.filter(pk__gte=min(ids), finished_at=None).exists():
        if time.monotonic() > until:
            raise TimeoutError(f"runs have not ended within {within} s")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
