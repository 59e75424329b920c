"""Batch after batch, until nothing is left or somebody says stop."""

from collections.abc import Callable
from dataclasses import dataclass

from runs.pruning.asked import Asked
from runs.pruning.deleting import Also, Deleted, delete
from runs.pruning.walking import groups

BATCH = 500  # runs; on SQLite nobody else writes while a batch is deleted
BATCH_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Foreseen:
    trees: int = 0
    runs: int = 0


def foresee(asked: Asked, *, most: int | None = None) -> Foreseen:
    """How much would be deleted; changes nothing."""
    trees = runs = 0
    for group in groups(asked, BATCH_MOST, most):
        trees, runs = trees + len(group), runs + sum(tree.runs for tree in group)
    return Foreseen(trees, runs)


def prune(
    asked: Asked,
    *,
    batch: int = BATCH,
    most: int | None = None,
    stop: Callable[[], bool] = lambda: False,
    told: Callable[[Deleted], None] = lambda _: None,
    also: Also = None,
) -> bool:
    """Delete in batches of `batch` runs, at most `most` runs; returns whether it came to the end, or was stopped.

    `told` is given each batch once it is on disk, before the next one `stop` is asked; `also` is called in the
    transaction of a batch.
    """
    for group in groups(asked, batch, most):
        if stop():
            return False
        told(delete([tree.root_id for tree in group], asked.takes, also))
    return True
