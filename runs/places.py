"""Places: at most so many runs of one concurrency key are running, counted by the claims and by nobody else.

A run holds a place while a worker holds the run. A parked run holds none, as it holds no worker: when it wakes it waits
for a place again. So a parent that waits for its children never takes one from them (they have no key of their own).

- A claim locks the rows of the keys among its candidates, counts who is running and claims what fits. Both in one
  transaction and under the lock, so two claims never count the same free place; each statement sees what was committed
  before it, which is what READ COMMITTED gives.
- What does not fit is *held back*: out of the index that claims read, so that ten thousand runs of a full key cost the
  runs behind them nothing.
- Whatever ends or parks a run of a key, or takes one out of the queue, marks the key as *freed* in that transaction.
  The next claim puts back into the queue as many as there are places, best first. The mark is set without looking
  (`UPDATE ... WHERE key`): a condition would be judged by what was committed before the claim that is counting now, and
  the mark would be lost.

Nobody waits for the row of a run while holding that of a key, and keys are locked in alphabetical order: no deadlock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from runs.lifecycle import Status, touch
from runs.models import ConcurrencyKey, Run
from runs.watching import hints

_BATCH = 1_000  # runs held back at once
_AT_ONCE = 32  # runs put back at once; where there is room for more, the next claim goes on
_AGAIN = timedelta(minutes=1)
_BEST_FIRST = ("-queue", "-priority", "queued_at")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A queued run that a claim may take, its row locked; `key` None for most."""

    run_id: str
    key: str | None
    limit: int | None
    queued_at: datetime


def fitting(candidates: Sequence[Candidate]) -> list[str]:
    """The ids of those that have a place or need none, in their order; the others are held back.

    In the transaction of the claim, which makes them running before it ends.
    """
    keyed = sorted((one for one in candidates if one.key is not None), key=lambda one: one.key or "")
    if not keyed:
        return [one.run_id for one in candidates]
    _lock({one.key for one in keyed if one.key is not None})
    over: set[str] = set()
    for key, of_key in groupby(keyed, key=lambda one: one.key or ""):
        running = _running(key)
        fit: list[str] = []
        beyond: list[str] = []
        for one in of_key:
            (fit if running + len(fit) < (one.limit or 1) else beyond).append(one.run_id)
        if beyond:
            over.update(beyond)
            _hold_back(key, running + len(fit), fit, beyond)
    return [one.run_id for one in candidates if one.run_id not in over]


def left(*keys: str | None) -> None:
    """Runs of these keys have given up their places, or their turn, in this transaction; None is no key."""
    for key in sorted({key for key in keys if key is not None}):
        ConcurrencyKey.objects.filter(pk=key).update(freed=True)


def any_freed() -> bool:
    """Whether a claim has to look at who waits for a place."""
    return ConcurrencyKey.objects.filter(freed=True).exists()


def readmit() -> None:
    """Put back into the queue what the freed places are enough for; reads first."""
    if not any_freed():
        return
    with transaction.atomic():
        freed = ConcurrencyKey.objects.filter(freed=True).select_for_update(skip_locked=True, no_key=True)
        for key in freed[:_AT_ONCE]:
            _readmit(key)


def look_again() -> int:
    """Have the next claim look at keys that nobody has looked at for a minute, though runs wait for them.

    Never needed as long as every move tells; a run that waits for ever would be a high price for one that forgot.
    """
    before = timezone.now() - _AGAIN
    stale = ConcurrencyKey.objects.filter(waiting=True, looked_at__lte=before)
    if not stale.exists():
        return 0
    with transaction.atomic():
        keys = list(stale.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True)[:_BATCH])
        return ConcurrencyKey.objects.filter(pk__in=keys).update(freed=True, looked_at=timezone.now())


def _lock(keys: set[str]) -> None:
    """Lock the rows of the keys until the transaction ends; one that was deleted by hand is made again."""
    rows = ConcurrencyKey.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True)
    if len(rows) < len(keys):
        keep(*keys)
        list(rows.all())


def keep(*keys: str) -> None:
    """Make the rows of the keys that have none, whoever else makes the same."""
    ConcurrencyKey.objects.bulk_create([ConcurrencyKey(key=key) for key in sorted(keys)], ignore_conflicts=True)


def _running(key: str) -> int:
    return Run.objects.filter(concurrency_key=key, status=Status.RUNNING).count()


def _queued(key: str, *, held_back: bool) -> QuerySet[Run]:
    return Run.objects.filter(concurrency_key=key, status=Status.QUEUED, held_back=held_back)


def _hold_back(key: str, running: int, fit: list[str], beyond: list[str]) -> None:
    """The candidates `beyond` the places, and with them what else of the key is queued and has no place now.

    What somebody has locked is passed over; a later claim comes to it. Waiting for it here could be waiting for
    somebody who waits for the key.
    """
    others = _queued(key, held_back=False).filter(concurrency_limit__lte=running).exclude(pk__in=[*fit, *beyond])
    ids = others.select_for_update(skip_locked=True).values_list("pk", flat=True)[:_BATCH]
    back = [*beyond, *ids]
    touch(Run.objects.filter(pk__in=back, status=Status.QUEUED), held_back=True)
    hints.changed(*back)
    ConcurrencyKey.objects.filter(pk=key).update(waiting=True, looked_at=timezone.now())


def _readmit(key: ConcurrencyKey) -> None:
    running = _running(key.pk)
    waiting = _queued(key.pk, held_back=True)
    best = waiting.filter(concurrency_limit__gt=running).order_by(*_BEST_FIRST)
    ids: list[str] = []
    for run_id, limit in best.select_for_update(skip_locked=True).values_list("pk", "concurrency_limit")[:_AT_ONCE]:
        if limit is not None and limit > running + len(ids):
            ids.append(run_id)
    touch(Run.objects.filter(pk__in=ids), held_back=False)
    hints.changed(*ids)
    key.waiting = waiting.exists()
    # Some may have been locked by somebody else just now: then there is still room, and the next claim looks again.
    key.freed = waiting.filter(concurrency_limit__gt=running + len(ids)).exists()
    key.looked_at = timezone.now()
    key.save(update_fields=["waiting", "freed", "looked_at"])
