"""What waits for a worker, and what the clock should have woken."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Min, QuerySet
from django.utils import timezone

from runs.finding import COUNTED, Count
from runs.lifecycle import Status
from runs.models import Run


@dataclass(frozen=True, slots=True)
class Queued:
    """One queue: runs that a worker could claim now, since when the oldest of those counted is queued; and how many
    are held back for a place of their concurrency key."""

    queue: str
    ready: Count
    oldest: datetime | None
    held_back: Count

    @property
    def age_seconds(self) -> float:
        return max(0.0, (timezone.now() - self.oldest).total_seconds()) if self.oldest else 0.0


@dataclass(frozen=True, slots=True)
class Lateness:
    """Parked runs whose time has come and that nobody has woken: how many, and how late the first of them is."""

    overdue: Count
    seconds: float


def queues() -> list[Queued]:
    """Two short queries for each queue."""
    return [_queued(queue) for queue in Run.Queue.values]


def lateness() -> Lateness:
    """One short query."""
    now = timezone.now()
    due = Run.objects.filter(status=Status.WAITING, wake_at__lte=now).order_by("wake_at")
    times = list(due.values_list("wake_at", flat=True)[: COUNTED + 1])
    first = times[0] if times else None
    return Lateness(_count(len(times)), (now - first).total_seconds() if first else 0.0)


def _queued(queue: str) -> Queued:
    of_queue = Run.objects.filter(status=Status.QUEUED, queue=queue)
    ready = of_queue.filter(held_back=False).order_by("-queue", "-priority", "queued_at")
    told = Run.objects.filter(pk__in=_first(ready)).aggregate(oldest=Min("queued_at"))
    held_back = of_queue.filter(concurrency_key__isnull=False, held_back=True)
    return Queued(queue, _count(_first(ready).count()), told["oldest"], _count(_first(held_back).count()))


def _first(runs: QuerySet[Run]) -> QuerySet[Run, Any]:
    return runs.values("pk")[: COUNTED + 1]


def _count(number: int) -> Count:
    return Count(min(number, COUNTED), number > COUNTED)
