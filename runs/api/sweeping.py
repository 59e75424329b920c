"""Deleting what is no longer needed, in passing: a bounded batch at each so many calls, so that nothing else has to run
for it and no call waits long."""

import itertools
import logging
from typing import Any

from django.db import DatabaseError
from django.db.models import QuerySet

log = logging.getLogger("runs.api")


class Sweep:
    """As long as `batch` is more than `every`, it deletes faster than rows come."""

    def __init__(self, every: int, batch: int) -> None:
        self._calls, self._every, self._batch = itertools.count(), every, batch

    def __call__(self, old: QuerySet[Any]) -> None:
        """At the first call and each `every`-th of this process; `old` has the rows, the oldest first."""
        if next(self._calls) % self._every:
            return
        try:
            pks = list(old.values_list("pk", flat=True)[: self._batch])
            if pks:
                old.model.objects.filter(pk__in=pks).delete()
        except DatabaseError as error:  # another process may be at the same rows; they are there for the next call
            log.info("old rows of %s are left for later: %s", old.model.__name__, error)
