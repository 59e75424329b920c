"""Waking what is due: a parked run is queued, one that waits for another attempt is retried."""

from collections.abc import Collection

from django.utils import timezone

from runs import queue
from runs.errors import Refused
from runs.family import ended
from runs.lifecycle import Move, Status
from runs.models import Run
from runs.operations import retry
from runs.operations.children import CANCEL


def wake(ids: Collection[str]) -> int:
    """How many runs have moved."""
    failed = Run.objects.filter(pk__in=ids, status=Status.WAITING, wake_at__lte=timezone.now()).exclude(error_code="")
    return sum(_try_again(run) for run in failed) + queue.wake(ids)


def _try_again(run: Run) -> int:
    """As an operator's retry. Where that is refused the failure is final."""
    try:
        retry(run.pk, children=CANCEL)
    except Refused:
        mine = Run.objects.filter(pk=run.pk, fence=run.fence, status=Status.WAITING, attempt=run.attempt)
        return ended(run, mine, Move.FAIL, False, run.error)
    return 1
