"""Deleting runs that have ended, by whole trees: a root, its successors, and all below them.

- What may go is looked for outside of any transaction, the oldest first (`walking`), and judged by what the rows of a
  tree say together (`trees`): every run of it has ended, and the last one before a moment.
- A batch is one transaction (`deleting`). It locks the rows of its trees, passes over a tree of which anybody holds
  one, and judges again: nothing can be revived or get a child once its rows are locked, and whoever comes later finds
  no run. So it may be interrupted at any time and begun again, beside workers and beside others who delete.
- Its statements are about all trees of the batch at once; how many there are does not depend on how many runs.
- A tree that is larger than a batch is a batch of its own.

What stays: forks of what was deleted, whose journals say what they were forked from; what Django's log says of deleted
runs; and a source as long as a run, a version of the library or a journal needs it (`sources`). The idempotency key of
a deleted run is free again, and so are the ids of the signals that it took.
"""

from runs.pruning.asked import Asked
from runs.pruning.deleting import Deleted
from runs.pruning.pruning import BATCH, BATCH_MOST, Foreseen, foresee, prune
from runs.pruning.whole import delete_tree, why_not

__all__ = [
    "BATCH",
    "BATCH_MOST",
    "Asked",
    "Deleted",
    "Foreseen",
    "delete_tree",
    "foresee",
    "prune",
    "why_not",
]
