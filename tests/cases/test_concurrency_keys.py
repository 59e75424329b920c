"""Concurrency keys under real concurrent claims, on both databases: never too many, never too few, nobody starved."""

import random
import threading
import time
from collections.abc import Callable

import pytest
from cases.engines import BOTH
from cases.installation import Installation, script
from django.db import connection, connections
from django.utils import timezone
from helpers import PATIENCE, eventually

from journal.models import Journal
from runs import claiming, clock, queue
from runs.cancelling import cancel
from runs.held import HeldRun
from runs.host import Parked, Round, Succeeded
from runs.lifecycle import TERMINAL, Status
from runs.models import Run, Source
from runs.starting import start

pytestmark = BOTH
RUNNING = False
LIMITS = {"a": 1, "b": 2, "c": 5}


def started(title: str, each: int) -> None:
    for _ in range(each):
        for key, limit in LIMITS.items():
            start(script("return 1"), title=title, concurrency_key=f"{title} {key}", concurrency_limit=limit)


def in_threads(count: int, work: Callable[[random.Random], None]) -> None:
    failures: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(random.Random(number))
        except BaseException as error:  # noqa: BLE001  (raised again below)
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guarded, args=[number]) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def claim_often() -> None:
    for _ in range(6):
        queue.claim("w", 3)


def too_many(title: str) -> list[str]:
    """Keys of which more are running than may; one statement, so that it sees one state."""
    keys = list(
        Run.objects.filter(title=title, status=Status.RUNNING).order_by().values_list("concurrency_key", flat=True)
    )
    return [key for key, limit in LIMITS.items() if keys.count(f"{title} {key}") > limit]


def test_claims_of_many_connections_never_exceed_a_limit_and_leave_nobody_behind(house: Installation) -> None:
    """Ten connections claim, end, park and hand back as fast as they can."""
    title = "storm"
    started(title, 25)
    left = Run.objects.filter(title=title).exclude(status__in=TERMINAL)
    until = time.monotonic() + PATIENCE

    def work(dice: random.Random) -> None:
        while left.exists():
            assert time.monotonic() < until, list(left.values_list("concurrency_key", "status", "held_back"))
            queue.wake(list(left.filter(status=Status.WAITING).values_list("pk", flat=True)))
            for run in queue.claim("w", dice.randint(1, 4)):
                assert not too_many(title)
                match dice.randint(0, 4):
                    case 0:
                        queue.release({run.pk: run.fence})
                    case 1:
                        HeldRun(run).commit(Round(ending=Parked(int(timezone.now().timestamp() * 1000) - 1, [])))
                    case _:
                        HeldRun(run).commit(Round(ending=Succeeded(1)))

    in_threads(10, work)
    assert not left.exists()


def test_as_many_as_may_are_running_once_everybody_has_claimed(house: Installation) -> None:
    title = "fill"
    started(title, 8)
    in_threads(8, lambda _: claim_often())
    running = Run.objects.filter(title=title, status=Status.RUNNING).values_list("concurrency_key", flat=True)
    assert sorted(running) == sorted(f"{title} {key}" for key, limit in LIMITS.items() for _ in range(limit))
    for run in Run.objects.filter(title=title, status=Status.RUNNING):
        HeldRun(run).commit(Round(ending=Succeeded(1)))
    for run_id in Run.objects.filter(title=title, status=Status.QUEUED).values_list("pk", flat=True):
        cancel(run_id)


@pytest.mark.heavy
def test_a_claim_reads_no_more_when_thousands_wait_and_many_more_have_ended(house: Installation) -> None:
    source = Source.keep(script("return 1"))
    now = timezone.now()

    def rows(count: int, **fields: object) -> None:
        runs = [Run(source=source, title="crowd", deadline_at=now, **fields) for _ in range(count)]
        for run in runs:
            run.journal_id = run.root_id = run.chain = run.pk
        Journal.objects.bulk_create([Journal(run_id=run.pk, realm_version=1) for run in runs], batch_size=5000)
        Run.objects.bulk_create(runs, batch_size=2000)

    rows(20_000, status=Status.SUCCEEDED, finished_at=now, concurrency_key="crowd", concurrency_limit=1)
    rows(5_000, status=Status.QUEUED, held_back=True, concurrency_key="crowd", concurrency_limit=1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    plans = {name: plan(sql) for name, sql in _SQL.items()}
    for name, index in _INDEXES.items():
        assert index in plans[name], plans[name]
    start(script("return 1"), title="behind")
    [found] = queue.claim("w", 1)
    assert found.title == "behind"
    queue.release({found.pk: found.fence})
    cancel(found.pk)


_SQL = {
    "candidates": claiming.NEXT % 1,
    "running": "SELECT count(*) FROM runs_run WHERE concurrency_key = 'crowd' AND status = 'running'",
    "waiting": "SELECT id FROM runs_run WHERE concurrency_key = 'crowd' AND status = 'queued' AND held_back"
    " AND concurrency_limit > 0 ORDER BY queue DESC, priority DESC, queued_at LIMIT 32",
    "freed": "SELECT 1 FROM runs_concurrencykey WHERE freed LIMIT 1",
}
_INDEXES = {"candidates": "run_queued", "running": "run_key_running", "waiting": "run_key_queued", "freed": ""}


def plan(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(("EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN ") + sql)
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


def test_workers_and_clock_run_all_of_a_key_one_at_a_time(house: Installation) -> None:
    """The last test of this module: from here on workers run. What is slow overlaps with nothing of its key."""
    house.begin()
    body = "await ctx.call('slow', {ms: 20}); await ctx.sleep(150); await ctx.call('slow', {ms: 20}); return input"
    runs = [house.run(body, title="workers", input=n, concurrency_key="workers", concurrency_limit=1) for n in range(8)]
    free = house.run("return 'free'")
    assert house.ended(free).output == "free"
    seen = []

    def all_ended() -> bool:
        seen.append(Run.objects.filter(concurrency_key="workers", status=Status.RUNNING).count())
        return not Run.objects.filter(concurrency_key="workers").exclude(status__in=TERMINAL).exists()

    eventually(all_ended)
    assert max(seen) == 1
    assert [house.succeeded(run).output for run in runs] == list(range(8))
    assert not clock.tick().nudged
