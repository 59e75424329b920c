"""C19, C33 and parked runs by the thousand: what is many costs what it must and no more."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cases.installation import Installation
from cases.replaying import replay
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from helpers import PATIENCE, eventually

from journal import codec, store
from journal.entries import Entry
from journal.models import Journal, RunJournal
from runs import clock
from runs.lifecycle import Status
from runs.models import Run

ENVIRON = {"DAYBOOK_WORKERS": "1"}
NOT_YET = timedelta(days=2)
MIB = 1024 * 1024
STORM = int(os.environ.get("DAYBOOK_STORM", "1"))


def resident_bytes(house: Installation) -> int:
    """What the largest process of the cluster holds in memory, which is its only worker."""
    sizes = []
    for pid in house.workers():
        with Path(f"/proc/{pid}/status").open() as status:
            sizes.append(next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) * 1024)
    return max(sizes)


def cost_of_replay(run: Run) -> float:
    """Seconds of CPU; the least of three."""
    costs = []
    for _ in range(3):
        began = time.thread_time()
        replay(run)
        costs.append(time.thread_time() - began)
    return min(costs)


def test_c19_a_wake_costs_no_more_than_its_journal(house: Installation) -> None:
    """C19: 2,000 calls with a park every 100: the cost of a wake grows no faster than its journal; memory is
    bounded."""
    body = """
        let sum = 0
        for (let i = 0; i < input; i++) {
            const thunks = Array.from({length: 100}, (_, j) => () => ctx.call('echo', {v: i * 100 + j}))
            sum += (await ctx.parallel(thunks)).reduce((a, b) => a + b, 0)
            await ctx.sleep(150)
        }
        return sum"""
    run = house.run(body, input=20)
    ended = house.succeeded(run)
    assert ended.output == sum(range(2000))
    assert ended.fence >= 19
    quarter = house.succeeded(house.run(body, input=5))
    # CPU of this process and not time: what others do meanwhile does not count. Twice the share is for the start.
    assert cost_of_replay(ended) < 8 * cost_of_replay(quarter)
    # The allocator keeps what the largest replay took; a second such run adds a little, a fifth nothing.
    assert resident_bytes(house) < 200 * MIB


def parked(title: str, count: int, first: datetime, over: timedelta) -> list[Run]:
    """Runs that sleep, copied row by row from one that does; their wake times are spread evenly, not in order of id."""
    model = Run.objects.get(title="model")
    template = [entry.body for entry in store.read(model.journal_id)]
    runs, journals, rows = [], [], []
    for number in range(count):
        run = Run(title=f"{title} {number}", source_id=model.source_id, input=number, deadline_at=model.deadline_at)
        wake = first + over * ((number * 7919 % count) / count)
        wake_ms = int(wake.timestamp() * 1000)
        mine = [body | ({"wakeAt": wake_ms} if body["kind"] == "timer" else {}) for body in template]
        written = [Entry.of(seq, wake_ms - 1000, body) for seq, body in enumerate(mine, 1)]
        size = sum(len(entry.data) for entry in written)
        journals.append(
            Journal(run_id=run.pk, next_seq=len(mine) + 1, bytes=size, realm_version=model.journal.realm_version)
        )
        rows += [
            RunJournal(run_id=run.pk, seq=e.seq, call_seq=e.call_seq, kind=e.kind, at=e.at, entry=e.data)
            for e in written
        ]
        run.journal_id = run.root_id = run.pk
        run.status, run.wake_at = Status.WAITING, datetime.fromtimestamp(wake_ms / 1000, UTC) + NOT_YET
        runs.append(run)
    Journal.objects.bulk_create(journals)
    Run.objects.bulk_create(runs)
    RunJournal.objects.bulk_create(rows)
    return runs


def test_parked_runs_by_the_thousand_cost_nothing_and_wake_in_order(house: Installation) -> None:
    """2,000 parked runs cost nothing and wake in order with lateness reported; C33: many small runs in one worker leave
    its memory flat."""
    body = "const t = await ctx.call('echo', {v: 1}); await ctx.sleep(ctx.hours(1)); return [t, input]"
    house.parked(house.run(body, title="model"))
    before = resident_bytes(house)
    count = 1200 * STORM
    parked("copy", count, datetime.now(UTC) - timedelta(days=1), timedelta(hours=20))
    parked("other", 800, datetime.now(UTC) - timedelta(days=1), timedelta(hours=20))
    with CaptureQueriesContext(connection) as queries:
        assert not clock.tick()
    assert len(queries) < 12, "a look at many that are not due reads more than one at few"
    assert resident_bytes(house) - before < MIB, "parked runs are with the worker"
    assert not Run.objects.exclude(worker="").exists()

    # All are due at once, as after a night without a clock.
    Run.objects.filter(title__startswith="copy").update(wake_at=F("wake_at") - NOT_YET)
    left = Run.objects.filter(title__startswith="copy", finished_at=None)
    began = time.monotonic()
    eventually(lambda: left.count() < count * 3 // 4)
    quarter = resident_bytes(house)
    eventually(lambda: not left.exists(), within=PATIENCE * STORM, every=0.1)
    took = time.monotonic() - began
    assert set(Run.objects.values_list("status", flat=True)) <= {Status.SUCCEEDED, Status.WAITING}
    assert resident_bytes(house) - quarter < 24 * MIB, "memory grows with the runs served"
    fired = RunJournal.objects.filter(kind="fired", run__of_run__title__startswith="copy").order_by("at", "run_id")
    assert all(codec.decode(row)["lateMs"] > 3_600_000 for row in fired.values_list("entry", flat=True))
    order = list(fired.values_list("run__of_run__input", flat=True))
    due = [number * 7919 % count for number in order]
    worst = max(abs(place - rank) for rank, place in enumerate(due))
    print(
        f"{count + 800} parked; {count} woken and run in {took:.1f} s,"
        f" at most {worst} places out of order; memory {before // MIB} to {resident_bytes(house) // MIB} MiB"
    )
    assert worst <= count // 4  # of threads side by side any may be slow; out of order would be nearly all
