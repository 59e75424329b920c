"""Where a run stands among others: its ancestors, its children, what it continues, and what was forked from it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count

from runs.lifecycle import Status
from runs.models import Run

CHILDREN = 500  # as many as one run may have, unless a setting says otherwise
FORKS = 20
# What a line about a run shows. Inputs, outputs and errors can be large, and none of it is in a tree.
FIELDS = (
    "id", "title", "kind", "agent", "status", "error_code", "parent_id", "parent_call_seq", "root_id", "depth",
    "created_at", "queued_at", "started_at", "finished_at", "updated_at", "wake_at", "lease_until", "wait", "attempt",
    "max_attempts", "cancel_requested_at", "held_back", "concurrency_key", "concurrency_limit", "continued_from_id",
    "forked_from_id", "owner_id",
)  # fmt: skip
_ANCESTORS = (
    "WITH RECURSIVE above(id, parent_id) AS (SELECT id, parent_id FROM runs_run WHERE id = %s"
    " UNION ALL SELECT r.id, r.parent_id FROM runs_run r JOIN above ON r.id = above.parent_id) SELECT id FROM above"
)


@dataclass(frozen=True, slots=True)
class Family:
    """`ancestors` from the root down; `children` in the order of their calls, at most 500; `counts` of all of them by
    status. `before` and `after` are the runs that it continues and that continues it."""

    ancestors: list[Run]
    children: list[Run]
    counts: dict[str, int]
    before: Run | None
    after: Run | None
    forked_from: Run | None
    forks: list[Run]

    @property
    def more(self) -> int:
        """How many children are not in the list."""
        return sum(self.counts.values()) - len(self.children)

    def __bool__(self) -> bool:
        return bool(self.ancestors or self.counts or self.before or self.after or self.forked_from or self.forks)


def family(run: Run, sees: Callable[[Run], bool]) -> Family:
    """`sees`: whether whoever asks may see a run; a fork may be somebody else's. Four queries, five for a run that has
    a parent; none names the owner, by whose index a planner might read all of their runs."""
    near = Run.objects.only(*FIELDS)
    counted = Run.objects.filter(parent_id=run.pk).values_list("status").annotate(Count("pk")).order_by()
    counts = Counter(dict(counted))
    children = near.filter(parent_id=run.pk).order_by("parent_call_seq", "pk")[:CHILDREN]
    forks = near.filter(forked_from_id=run.pk).order_by("-pk")[:FORKS]
    above = _ancestor_ids(run)
    named = [pk for pk in (*above, run.continued_from_id, run.forked_from_id) if pk]
    others = [other for other in near.filter(pk__in=named) | near.filter(continued_from_id=run.pk) if sees(other)]
    by_id = {other.pk: other for other in others}
    return Family(
        ancestors=[by_id[pk] for pk in above if pk in by_id],
        children=[child for child in children if sees(child)],
        counts={status.value: counts[status] for status in Status if counts[status]},
        before=by_id.get(run.continued_from_id or ""),
        after=next((other for other in others if other.continued_from_id == run.pk), None),
        forked_from=by_id.get(run.forked_from_id or ""),
        forks=[fork for fork in forks if sees(fork)],
    )


def _ancestor_ids(run: Run) -> list[str]:
    """From the root down, without the run itself."""
    if run.parent_id is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_ANCESTORS, [run.parent_id])
        return [pk for (pk,) in cursor.fetchall()][::-1]
