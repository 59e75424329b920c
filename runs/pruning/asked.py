"""Which runs are to be deleted."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Q

from runs.lifecycle import TERMINAL, Status
from runs.pruning.trees import Tree


@dataclass(frozen=True, slots=True)
class Asked:
    """Trees whose last run has ended before that moment, and whose outcome is among `statuses`; `of` is a condition on
    the row of the root."""

    before: datetime
    statuses: frozenset[Status] = frozenset(TERMINAL)
    of: Q = field(default_factory=Q)

    def takes(self, tree: Tree) -> bool:
        """Whether a tree may go that has a root which `of` holds for."""
        return tree.has_ended and tree.ended_at < self.before and tree.outcome in self.statuses
