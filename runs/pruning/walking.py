"""Finding what may go: roots in order of their making, the oldest first. Reads only, and by an index."""

from collections.abc import Iterator

from django.db.models import F, Q

from runs.ids import first_id
from runs.lifecycle import TERMINAL
from runs.models import Run
from runs.pruning.asked import Asked
from runs.pruning.trees import Tree, trees

_LOOK = 1_000  # roots at once


def found(asked: Asked) -> Iterator[Tree]:
    """Trees that may go, as they stood when they were looked at."""
    after = ""
    while roots := _roots(asked, after):
        after = roots[-1]
        yield from (tree for tree in trees(roots) if asked.takes(tree))


def groups(asked: Asked, size: int, most: int | None) -> Iterator[list[Tree]]:
    """Those trees in groups of at most `size` runs; one that is larger stands alone. At most `most` runs in all: a tree
    that would be beyond is passed over."""
    group: list[Tree] = []
    runs = total = 0
    for tree in found(asked):
        if most is not None and total + tree.runs > most:
            continue
        if group and runs + tree.runs > size:
            yield group
            group, runs = [], 0
        group.append(tree)
        runs, total = runs + tree.runs, total + tree.runs
        if total == most:
            break
    if group:
        yield group


def _roots(asked: Asked, after: str) -> list[str]:
    """Ids of roots that have ended, above `after`. What was made later has not ended before, so ids bound the walk, and
    that the end is not null, and not the status, keeps a planner from another index, behind which it would sort."""
    roots = Run.objects.filter(asked.of, depth=0, pk=F("root_id"), pk__gt=after, pk__lt=first_id(asked.before))
    ended = roots.filter(finished_at__lt=asked.before)
    if asked.statuses != frozenset(TERMINAL):
        ended = ended.filter(Q(status__in=asked.statuses) | ~Q(successor=""))
    return list(ended.order_by("pk").values_list("pk", flat=True)[:_LOOK])
