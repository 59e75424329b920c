"""What the rows of a tree say together."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, F, Max, When

from runs.models import Run


@dataclass(frozen=True, slots=True)
class Tree:
    """`runs` in all, `live` of which have not ended; `ended_at` is the last end, `outcome` the status of the root or
    its last successor."""

    root_id: str
    runs: int
    live: int
    ended_at: datetime
    outcome: str

    @property
    def has_ended(self) -> bool:
        return not self.live


def trees(root_ids: Collection[str]) -> list[Tree]:
    """Those that are there, by the ids of their roots, in their order; one read."""
    last_of_chain = When(depth=0, successor="", then=F("status"))
    rows = Run.objects.filter(root_id__in=root_ids).values("root_id").order_by("root_id")
    told = rows.annotate(
        runs=Count("pk"), ended=Count("finished_at"), ended_at=Max("finished_at"), outcome=Max(Case(last_of_chain))
    )
    return [
        Tree(row["root_id"], row["runs"], row["runs"] - row["ended"], row["ended_at"], row["outcome"] or "")
        for row in told
    ]
