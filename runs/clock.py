"""The clock: wakes what is due, queues again what a dead worker held, ends what has lived too long, nudges again what
nobody came for. Any number may run, on any host; each move is conditional, so two clocks do no harm.
"""

from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from journal import store
from runs import ending, nudges, places, times
from runs.codes import Code
from runs.conf import conf
from runs.lifecycle import Move, Status, move
from runs.models import Run
from runs.waking import wake
from runs.watching import hints
from runs.workers.identity import surely_dead

_BATCH = 500


@dataclass(slots=True)
class Swept:
    """How many runs one look has moved."""

    woken: int = 0
    requeued: int = 0
    interrupted: int = 0
    timed_out: int = 0
    nudged: int = 0

    def as_dict(self) -> dict[str, int]:
        """Under the names of JSON."""
        counts = asdict(self)
        return counts | {"timedOut": counts.pop("timed_out")}

    def __bool__(self) -> bool:
        return any(self.as_dict().values())


def tick(*, dead_workers: bool = True) -> Swept:
    """One look at everything. Reads first: nothing to do costs no write transaction."""
    swept = Swept()
    swept.woken = _wake()
    if dead_workers:
        _requeue(swept)
    swept.timed_out = _time_out()
    places.look_again()
    swept.nudged = _renudge(newly_queued=swept.requeued)
    return swept


def _wake() -> int:
    due = Run.objects.filter(status=Status.WAITING, wake_at__lte=times.now()).order_by("wake_at")
    ids = list(due.values_list("pk", flat=True)[:_BATCH])
    return wake(ids) if ids else 0


def _requeue(swept: Swept) -> None:
    running = Run.objects.filter(status=Status.RUNNING)
    workers = running.filter(lease_until__gt=times.now()).values_list("worker", flat=True).distinct()
    dead = [worker for worker in workers if surely_dead(worker)]
    over = running.filter(Q(lease_until__lte=times.now()) | Q(worker__in=dead)).select_related("journal")
    needed = over.only("pk", "fence", "lease_until", "crashes", "crashed_at_seq", "journal__next_seq")
    for run in needed.order_by("lease_until")[:_BATCH]:
        match _crashed(run):
            case Move.FAIL:
                swept.interrupted += 1
            case Move.RELEASE:
                swept.requeued += 1


def _crashed(run: Run) -> Move | None:
    """Take the run from its dead holder: queue it again, or fail it when that place has cost too many workers.

    Returns the move made, None where the holder or another clock was faster. A death after the journal has grown counts
    from one again: a run that goes on is not the cause.
    """
    seq = run.journal.next_seq
    crashes = run.crashes + 1 if seq == run.crashed_at_seq else 1
    changes: dict[str, Any] = {"fence": F("fence") + 1, "crashes": crashes, "crashed_at_seq": seq}
    interrupted = crashes >= conf().max_crashes
    with transaction.atomic():
        mine = Run.objects.filter(pk=run.pk, fence=run.fence, status=Status.RUNNING, lease_until=run.lease_until)
        if interrupted:
            what = f"{crashes} workers died while holding the run at the same place"
            moved = ending.fail(mine, run.pk, Code.INTERRUPTED, what, **changes)
        else:
            moved = bool(move(mine, Move.RELEASE, **changes))
        if moved:
            store.take_fence([run.journal_id])
            places.left(run.concurrency_key)
            hints.changed(run.pk)
    if not moved:
        return None
    return Move.FAIL if interrupted else Move.RELEASE


def _time_out() -> int:
    """End what has lived too long and is with no worker; a resident run's host sees to it itself."""
    late = Run.objects.filter(finished_at__isnull=True, deadline_at__lte=times.now())
    late = late.filter(status__in=[Status.QUEUED, Status.WAITING])
    ids = list(late.values_list("pk", flat=True)[:_BATCH])
    what = "the run has lived as long as it may"
    return sum(ending.fail(late.filter(pk=pk), pk, Code.WALL_TIMEOUT, what) for pk in ids)


def _renudge(newly_queued: int) -> int:
    if not newly_queued:
        before = timezone.now() - timedelta(seconds=conf().renudge_seconds)
        overdue = Run.objects.filter(status=Status.QUEUED, held_back=False, queued_at__lte=before)
        if not (overdue.exists() or places.any_freed()):
            return 0
    if nudges.pending():
        return 0
    nudges.send()
    return 1
