"""Claims, sweeps and late writers against each other, without workers: every interleaving is somebody's bad night."""

import threading
from collections.abc import Callable, Iterator

import pytest
from cases.engines import BOTH
from cases.installation import Installation, entries, look, script
from cases.replaying import assert_whole
from cases.together import somebody_waits, together
from django.db import connection, transaction
from django.test import override_settings
from django_q.brokers import get_broker
from helpers import PATIENCE, eventually

from journal import bodies
from journal.entries import Entry
from journal.errors import FenceLost
from runs import clock, queue
from runs.codes import Code
from runs.held import HeldRun
from runs.host import Parked, Round, Succeeded
from runs.lifecycle import Status
from runs.models import Run
from runs.starting import start
from runs.workers.resident import Resident

pytestmark = BOTH
RUNNING = False


@pytest.fixture(autouse=True)
def _lapsing(house: Installation) -> Iterator[None]:
    """Leases that are over as soon as they are given, and nothing queued by an earlier test."""
    from django.conf import settings

    Run.objects.all().exclude(finished_at__isnull=False).update(
        status=Status.CANCELED, lease_until=None, finished_at="2020-01-01T00:00Z"
    )
    with override_settings(DAYBOOK=settings.DAYBOOK | {"lease_seconds": 1e-6, "max_crashes": 1_000_000}):
        yield


def queued(count: int) -> list[Run]:
    return [start(script("return 1")).run for _ in range(count)]


def line(run: Run) -> Round:
    """A round of one entry that says under which fence it was written."""
    return Round([Entry.of(run.journal.next_seq, 0, bodies.notice("info", f"fence {run.fence}"))])


def test_one_run_is_claimed_by_one_of_many(house: Installation) -> None:
    """Twenty claimers of one queued run: one gets it."""
    (run,) = queued(1)
    held: list[Run] = []
    together(*[lambda: held.extend(queue.claim("w", only=run.pk)) for _ in range(20)])
    assert [found.pk for found in held] == [run.pk]
    assert look(run).fence == look(run).journal.fence == 1


def test_two_clocks_queue_what_a_dead_worker_held_once(house: Installation) -> None:
    """Clocks that sweep at the same time count one crash per run and hand out one new fence."""
    runs = queued(40)
    assert len(queue.claim("gone", limit=40)) == 40
    swept: list[clock.Swept] = []
    together(*[lambda: swept.append(clock.tick()) for _ in range(4)])
    assert sum(one.requeued for one in swept) == 40
    for run in map(look, runs):
        assert (run.status, run.crashes, run.fence, run.journal.fence) == (Status.QUEUED, 1, 2, 2)


def test_two_clocks_wake_a_parked_run_once(house: Installation) -> None:
    """Clocks that sweep at the same time wake each due run once."""
    runs = queued(40)
    for held in queue.claim("w", limit=40):
        HeldRun(held).commit(Round(ending=Parked(wake_at=1, wait=[])))
    swept: list[clock.Swept] = []
    together(*[lambda: swept.append(clock.tick()) for _ in range(4)])
    assert sum(one.woken for one in swept) == 40
    assert {look(run).status for run in runs} == {Status.QUEUED}


def test_a_late_writer_is_refused_whatever_it_tries(house: Installation) -> None:
    """A lease that ended while its holder still worked: its late writes are refused and nothing is doubled."""
    (run,) = queued(1)
    (late,) = queue.claim("slow", only=run.pk)
    clock.tick()
    (holder,) = queue.claim("quick", only=run.pk)
    HeldRun(holder).commit(line(holder))
    writes = [
        line(late),
        Round(ending=Succeeded("late")),
        Round(ending=Parked(wake_at=1, wait=[])),
        Round(plan={"steps": []}),
        Round(progress={"label": "late"}),
    ]
    for write in writes:
        with pytest.raises(FenceLost):
            HeldRun(late).commit(write)
    ran: list[int] = []
    with pytest.raises(FenceLost):
        HeldRun(late).commit_around(line(late), lambda: (bool(ran.append(1)), []))
    assert queue.release({late.pk: late.fence}) == 0
    assert not Resident(late).fail(Code.FUEL_EXHAUSTED, "late")
    assert not queue.standing({late.pk: late.fence})[late.pk].held
    lease = look(run).lease_until
    queue.renew({late.pk: late.fence})
    found = look(run)
    assert (found.status, found.worker, found.lease_until) == (Status.RUNNING, "quick", lease)
    assert [entry.body["message"] for entry in entries(run)] == [f"fence {holder.fence}"]


def write_three(held: Run, between: Callable[[Run], None]) -> tuple[int, bool]:
    """Three commits of one holder, the first that is refused ends it; `between` comes after the first. How many were
    accepted, and whether one was refused."""
    for accepted in range(3):
        try:
            HeldRun(held).commit(line(held))
        except FenceLost:
            return accepted, True
        held.journal.next_seq += 1
        if accepted == 0:
            between(held)
    return 3, False


def at_once(held: Run) -> None:
    """The holder writes on."""


def until_swept(held: Run) -> None:
    """Until a clock has taken the run from this holder."""
    eventually(lambda: look(held).fence != held.fence)


def test_claims_sweeps_and_writes_at_once_never_double_a_seq(house: Installation) -> None:
    """Every lease is over at once, clocks take runs away while their holders write: what was written is what the
    accepted writers wrote, seq 1..n without a gap. Every third holder waits for its sweep before it writes on."""
    runs = queued(3)
    accepted: list[tuple[str, int]] = []
    at_work = [object(), object(), object()]

    def work() -> None:
        claims = 0
        try:
            while claims < 12:
                for held in queue.claim("w", limit=2):
                    claims += 1
                    waits = claims % 3 == 0
                    count, refused = write_three(held, until_swept if waits else at_once)
                    accepted.extend([(held.pk, held.fence)] * count)
                    assert not waits or (count <= 1 and refused), "a swept holder wrote on"
        finally:
            at_work.pop()

    def sweep() -> None:
        while at_work:
            clock.tick()

    together(work, work, work, sweep, sweep)
    for run in map(look, runs):
        mine = sorted(fence for pk, fence in accepted if pk == run.pk)
        written = [int(entry.body["message"].split()[1]) for entry in entries(run)]
        assert written == sorted(written) == mine
        assert_whole(run)
        assert run.fence == run.journal.fence


def test_a_run_that_is_handed_back_is_nudged_for(house: Installation) -> None:
    """A release does not leave its runs to the clock: a worker elsewhere is told at once, if there is something to
    claim."""
    (run,) = queued(1)
    (held,) = queue.claim("w", only=run.pk)
    before = get_broker().queue_size()
    assert queue.release({held.pk: held.fence + 1}) == 0
    assert get_broker().queue_size() == before
    assert queue.release({held.pk: held.fence}) == 1
    assert get_broker().queue_size() == before + 1


@pytest.mark.parametrize("what", ["renew", "wake", "release"])
def test_whoever_writes_many_rows_never_waits_for_one_while_it_holds_its_parent(house: Installation, what: str) -> None:
    """A run that ends has its own row and waits for its parent's: the other one must not have that, and wait for it."""
    parent, child = queued(2)
    Run.objects.filter(pk=child.pk).update(parent=parent, root=parent, depth=1)
    claimed = {run.pk: run.fence for run in queue.claim("here", limit=2)}
    assert claimed.keys() == {parent.pk, child.pk}
    if what == "wake":
        Run.objects.filter(pk__in=claimed).update(status="waiting", lease_until=None, wake_at="2020-01-01T00:00Z")
    has_child, asks = threading.Event(), threading.Event()

    def ends() -> None:
        with transaction.atomic():
            Run.objects.select_for_update().get(pk=child.pk)
            has_child.set()
            assert asks.wait(PATIENCE)
            if connection.vendor == "postgresql":  # writers of SQLite take turns
                eventually(lambda: done.is_set() or somebody_waits(), what="the other one is through, or waits")
            Run.objects.select_for_update().get(pk=parent.pk)

    done = threading.Event()

    def writes() -> None:
        assert has_child.wait(PATIENCE)
        asks.set()
        {"renew": queue.renew, "wake": queue.wake, "release": queue.release}[what](claimed)
        done.set()

    together(ends, writes)  # where both wait for each other, PostgreSQL ends one with an error
