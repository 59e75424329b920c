"""One batch: the rows of some trees and all that is theirs, in one transaction and a fixed number of statements."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection, transaction

from runs.locking import Alone, alone
from runs.models import Run
from runs.pruning import sources
from runs.pruning.among import Among, among
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
        rows = _locked(root_ids)
        mine = Counter(row.root_id for row in rows)
        going = {tree.root_id: tree for tree in trees(root_ids) if mine[tree.root_id] == tree.runs and takes(tree)}
        if not going:
            return Deleted()
        if also is not None:
            also(list(going.values()))
        hints.changed(*going)
        return _delete(list(going), [row for row in rows if row.root_id in going])


class _Row(NamedTuple):
    id: str
    root_id: str
    journal_id: str
    source_id: str | None


def _locked(root_ids: Collection[str]) -> list[_Row]:
    """The rows of these trees that nobody else holds. Only who holds the row of a run makes a child, a successor or a
    fork of it, or revives it."""
    rows = Run.objects.filter(root_id__in=root_ids).select_for_update(skip_locked=True)
    return [_Row(*row) for row in rows.values_list(*_Row._fields)]


def _delete(root_ids: list[str], rows: list[_Row]) -> Deleted:
    """A journal goes before its entries: who appends holds its row, and is waited for, or finds it gone. The foreign
    keys are looked at when the transaction ends."""
    runs, journals = among(row.id for row in rows), among(row.journal_id for row in rows)
    with connection.cursor() as cursor:

        def execute(sql: str, of: Among) -> int:
            cursor.execute(f"{sql} {of.condition}", of.values)
            return int(cursor.rowcount)

        execute("UPDATE runs_run SET forked_from_id = NULL WHERE forked_from_id", runs)
        execute("DELETE FROM runs_message WHERE run_id", runs)
        execute("DELETE FROM journal WHERE run_id", journals)
        entries = execute("DELETE FROM run_journal WHERE run_id", journals)
        execute("SELECT DISTINCT sha256 FROM journal_script WHERE run_id", journals)
        named = {sha256 for (sha256,) in cursor.fetchall()}
        execute("DELETE FROM journal_script WHERE run_id", journals)
        execute("DELETE FROM runs_run WHERE id", runs)
    had = {row.source_id for row in rows if row.source_id is not None}
    return Deleted(len(root_ids), len(rows), entries, sources.release(had | named))
