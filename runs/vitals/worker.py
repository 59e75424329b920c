"""The workers that hold runs, as their leases tell."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min
from django.utils import timezone

from runs.conf import conf
from runs.lifecycle import Status
from runs.models import Run

MOST = 200
RUNS = 50


@dataclass(frozen=True, slots=True)
class Worker:
    """`name` is host:pid:node:start of its process; `renewed` when it last renewed a lease, `expires` when the first of
    its leases ends; `runs` are ids, at most 50 of `held`."""

    name: str
    held: int
    renewed: datetime
    expires: datetime
    runs: list[str]

    @property
    def host(self) -> str:
        return self.name.partition(":")[0]

    @property
    def pid(self) -> str:
        return self.name.split(":")[1] if ":" in self.name else ""

    @property
    def silent(self) -> bool:
        """It holds a lease that has ended: the clock queues those runs again."""
        return self.expires < timezone.now()


def workers() -> list[Worker]:
    """Those that hold runs, by name; two queries over what is running. One that is idle is in its `Cluster` alone."""
    running = Run.objects.filter(status=Status.RUNNING, lease_until__isnull=False)
    rows = running.values("worker").annotate(held=Count("pk"), last=Max("lease_until"), first=Min("lease_until"))
    found = list(rows.order_by("worker")[:MOST])
    ids: dict[str, list[str]] = {}
    named = running.filter(worker__in=[row["worker"] for row in found]).values_list("worker", "pk")
    for worker, pk in named.order_by("pk")[: MOST * RUNS]:
        ids.setdefault(worker, []).append(pk)
    lease = timedelta(seconds=conf().lease_seconds)
    return [
        Worker(row["worker"], row["held"], row["last"] - lease, row["first"], ids.get(row["worker"], [])[:RUNS])
        for row in found
    ]
