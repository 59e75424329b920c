"""`make bench-admin`: how long the admin takes at a million runs, in ms, as one JSON object: its pages as Django's test
client gets them, each with the number of its queries, and the lists, counts and searches behind them.

Seeds an installation in a temporary folder, or on the empty database of `--postgres URL`; the oldest of its runs have
journals. `--folder F` keeps it and takes what is there already. Each figure is the slowest and the median of some goes,
the first of which is cold. Exit code 1 when a page took longer than it may.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GOES = 5
WITH_JOURNALS = 100_000
PAGE_MS = 1_000  # that a page may take


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", help="URL of a database to use in place of SQLite")
    parser.add_argument("--folder", help="keep the data here, and go on with what is there")
    parser.add_argument("--runs", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daybook-bench-") as passing:
        began = time.perf_counter()
        prepare(options.folder or passing, options)
        seeded = time.perf_counter() - began
        figures = {"database": "postgresql" if options.postgres else "sqlite", "runs": options.runs}
        told = {"seconds_to_seed": round(seeded, 1), "pages": measured_pages(), "ms": measured()}
        print(json.dumps(figures | told, indent=2))
        slow = [name for name, page in told["pages"].items() if page["slowest"] > PAGE_MS]
        if slow:
            sys.exit(f"slower than {PAGE_MS} ms: {', '.join(slow)}")


def prepare(folder: str, options: argparse.Namespace) -> None:
    os.environ |= {"DAYBOOK_DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"}
    os.environ |= {"DATABASE_URL": options.postgres or "", "REDIS_URL": ""}
    sys.path[:0] = [str(ROOT)]
    sys.path.append(str(ROOT / "platform"))
    manage("migrate", "--verbosity", "0")
    manage("seedruns", "--runs", str(min(WITH_JOURNALS, options.runs)), "--entries")
    manage("seedruns", "--runs", str(options.runs))
    import django

    django.setup()
    from django.db import connection

    with connection.cursor() as cursor:  # as PostgreSQL does by itself after a while, and Daybook's SQLite never
        if options.postgres:
            cursor.execute("ANALYZE")


def manage(*arguments: str) -> None:
    subprocess.run([sys.executable, str(ROOT / "manage.py"), *arguments], stdout=sys.stderr, check=True)


def measured() -> dict[str, dict[str, float]]:
    return {name: timed(work) for name, work in works()}


def timed(work: Callable[[], Any]) -> dict[str, float]:
    took = []
    for _ in range(GOES):
        began = time.perf_counter()
        work()
        took.append((time.perf_counter() - began) * 1000)
    return {"slowest": round(max(took), 1), "median": round(statistics.median(took), 1)}


def measured_pages() -> dict[str, dict[str, float]]:
    """ms and queries of each page, for an operator who sees all runs."""
    from django.conf import settings
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    settings.ALLOWED_HOSTS = ["testserver"]
    operator, _ = User.objects.get_or_create(username="bench", defaults={"is_superuser": True, "is_staff": True})
    client = Client()
    client.force_login(operator)

    def get(address: str) -> None:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)

    told = {}
    for name, address in pages().items():
        took = timed(partial(get, address))
        with CaptureQueriesContext(connection) as queries:
            get(address)
        told[name] = took | {"queries": len(queries)}
    return told


def pages() -> dict[str, str]:
    """Name -> address."""
    from django.utils import timezone

    from runs.ids import first_id
    from runs.models import Run

    listed = "/admin/runs/run/"
    filters = {
        **{f"list, {status}": f"status={status}" for status in ("failed", "waiting", "succeeded", "queued")},
        "list, a day": "created=24h",
        "list, a week": "created=7d",
        "list, roots": "roots=1",
        "list, on a signal": "waiting=signal",
        "list, on a timer": "waiting=timer",
        "list, code": "code=timeout",
        "list, tool that failed": "tool=http.request",
        "list, script": "script=seed-report",
        "list, kind": "kind=workflow",
        "list, kind that there is not": "kind=agent",
        "list, queue": "queue=background",
        "list, schedule": "schedule=seed-north",
        "list, sign": "sign=late",
        "list, code, tool, script, status and date": (
            "code=timeout&tool=http.request&script=seed-invoice&status=failed&created=30d"
        ),
        "search, title": "q=chairs",
        "search, title that there is not": "q=no+such+title",
        "search, key": "q=seedruns",
        "search, title among the failed": "q=Invoice&status=failed",
    }
    ids = Run.objects.order_by("pk").values_list("pk", flat=True)
    oldest = ids.filter(error_code="tool-error")[0]
    filters["search, beginning of an old id"] = f"q={oldest[:20]}"
    filters["list, an old page"] = f"before={ids[1000]}"
    return {
        "list": listed,
        **{name: f"{listed}?{query}" for name, query in filters.items()},
        "run": f"{listed}{oldest}/change/",
        "run, calls": f"{listed}{oldest}/change/?tab=calls",
        "run, source": f"{listed}{oldest}/change/?tab=source",
        "call": f"{listed}{oldest}/call/{Run.objects.get(pk=oldest).error['callSeq']}/",
        "history of a run": f"{listed}{oldest}/history/",
        "all that match, to be retried": f"{listed}bulk/retry/?status=failed&upto={first_id(timezone.now())}",
        "effects, tool and end": "/admin/effects/?tool=http.request&outcome=failed",
        "effects, text that there is not": "/admin/effects/?text=no+such+text",
        **{page: f"/admin/{page}/" for page in ("platform", "tools", "health", "schedules")},
    }


def works() -> Iterator[tuple[str, Callable[[], Any]]]:
    from django.contrib.auth.models import User
    from django.utils import timezone

    from runs import finding, vitals
    from runs.finding import Asked
    from runs.health.facts import health
    from runs.models import Run
    from runs.searching import Effects, search

    user = User(pk=1, username="bench", is_superuser=True)
    oldest = Run.objects.order_by("pk").values_list("pk", flat=True)[1000]
    week = timezone.now() - timedelta(days=60)
    asked = {
        "list": Asked(),
        "list of roots": Asked(roots=True),
        "status failed": Asked(status="failed"),
        "status failed, roots": Asked(status="failed", roots=True),
        "error code": Asked(code="timeout"),
        "tool that failed": Asked(tool="http.request"),
        "script": Asked(script="seed-report"),
        "version of a script": Asked(script="seed-report@1"),
        "schedule": Asked(schedule="seed-north"),
        "waiting on a signal": Asked(waiting="signal"),
        "kind agent (there is none)": Asked(kind="agent"),
        "queue": Asked(queue="background"),
        "date": Asked(until=week),
        "code, tool, script, status and date": Asked(
            code="timeout", tool="http.request", script="seed-invoice", status="failed", until=week
        ),
        "sign of health (there is none)": Asked(sign="late"),
        "title": Asked(text="chairs"),
        "title that there is not": Asked(text="no such title"),
        "beginning of an old id": Asked(text=oldest[:20]),
        "old key": Asked(text="seedruns 0/"),
        "own runs of somebody without": Asked(owner=12345),
    }
    for name, one in asked.items():
        yield f"{name}: page", lambda one=one: finding.find(user, one)
        yield f"{name}: counts", lambda one=one: finding.counts(user, one)
    yield "newer runs", lambda: finding.newer(user, Asked(), oldest)
    yield "effects: tool and status", lambda: search(user, Effects(tool="http.request", status="failed"))
    yield "effects: text that there is not", lambda: search(user, Effects(text="no such text"))
    yield "health of a run", lambda: health(Run.objects.get(pk=oldest))
    for fact in (vitals.workers, vitals.queues, vitals.lateness, vitals.oldest_waiting, vitals.near_cap, vitals.size):
        yield f"platform: {fact.__name__.replace('_', ' ')}", fact


if __name__ == "__main__":
    main()
