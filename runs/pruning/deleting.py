"""One batch: the rows of some trees and all that is theirs, in one transaction and a fixed number of statements."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from runs.locking import Alone, alone
from runs.models import Run
from runs.pruning import sources
from runs.pruning.trees import Tree, trees
from runs.watching import hints

Also = Callable[[list[Tree]], None] | None


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many of each were deleted."""

    trees: int = 0
    runs: int = 0
    entries: int = 0
    sources: int = 0

    def __add__(self, other: "Deleted") -> "Deleted":
        return Deleted(
            self.trees + other.trees,
            self.runs + other.runs,
            self.entries + other.entries,
            self.sources + other.sources,
        )


def delete(root_ids: Collection[str], takes: Callable[[Tree], bool], also: Also = None) -> Deleted:
    """Delete those of the trees that `takes` agrees to once their rows are locked; the others stay as they are.

    One batch at a time: two that took each other's forks along would be a deadlock. `also` is called in the transaction
    with what is deleted.
    """
    with transaction.atomic():
        alone(Alone.PRUNING)
        going = [tree for tree in _locked(root_ids) if takes(tree)]
        if not going:
            return Deleted()
        if also is not None:
            also(going)
        return _delete([tree.root_id for tree in going])


def _locked(root_ids: Collection[str]) -> list[Tree]:
    """The trees of which nobody else holds a row. Only who holds the row of a run makes a child, a successor or a fork
    of it, or revives it."""
    rows = Run.objects.filter(root_id__in=root_ids).select_for_update(skip_locked=True)
    mine = Counter(rows.values_list("root_id", flat=True))
    return [tree for tree in trees(root_ids) if mine[tree.root_id] == tree.runs]


def _delete(root_ids: list[str]) -> Deleted:
    """A journal goes before its entries: who appends holds its row, and is waited for, or finds it gone. The foreign
    keys are looked at when the transaction ends."""
    marks = ", ".join(["%s"] * len(root_ids))
    of_trees = f"FROM runs_run WHERE root_id IN ({marks})"
    runs, journals = f"(SELECT id {of_trees})", f"(SELECT journal_id {of_trees})"
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:

        def execute(sql: str, *values: Any) -> int:
            cursor.execute(sql, [*values, *root_ids])
            return int(cursor.rowcount)

        execute(f"UPDATE runs_run SET forked_from_id = NULL, updated_at = %s WHERE forked_from_id IN {runs}", now)  # noqa: S608
        execute(f"DELETE FROM runs_message WHERE run_id IN {runs}")  # noqa: S608
        execute(f"DELETE FROM journal WHERE run_id IN {journals}")  # noqa: S608
        entries = execute(f"DELETE FROM run_journal WHERE run_id IN {journals}")  # noqa: S608
        needed = sources.needed_by(root_ids)
        execute(f"DELETE FROM journal_script WHERE run_id IN {journals}")  # noqa: S608
        count = execute(f"DELETE {of_trees}")
    hints.changed(*root_ids)
    return Deleted(len(root_ids), count, entries, sources.release(needed))
