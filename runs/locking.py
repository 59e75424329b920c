"""Locks across all processes: what is done one at a time, and rows that are locked many at once. Writers of SQLite take
turns anyway."""

from enum import IntEnum

from django.db import connection
from django.db.models import QuerySet

from runs.models import Run


class Alone(IntEnum):
    """What is done one at a time: any numbers that nothing else in the database locks by."""

    SCHEDULES = 0x64617962
    PRUNING = 0x64617963


def alone(what: Alone) -> None:
    """Wait until nobody else does it; until the present transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [what.value])


def passable(rows: QuerySet[Run], many: bool) -> QuerySet[Run]:
    """Those of the rows that nobody else is writing at the moment, locked until the transaction ends. Whoever locks
    `many` and waits for one of them may hold the parent that the writer of that one waits for: a run that ends locks
    its own row and then its parent's. What is passed over has to be looked at again."""
    if not many or not connection.features.has_select_for_update_skip_locked:
        return rows
    free = rows.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True)
    return rows.filter(pk__in=list(free))


def upwards(rows: QuerySet[Run]) -> None:
    """Lock all of the rows, children before their parents, as whoever ends a run does."""
    list(rows.order_by("-depth", "pk").select_for_update().values_list("pk"))
