"""Doing something one at a time, across all processes. Writers of SQLite take turns anyway."""

from enum import IntEnum

from django.db import connection


class Alone(IntEnum):
    """What is done one at a time: any numbers that nothing else in the database locks by."""

    SCHEDULES = 0x64617962
    PRUNING = 0x64617963


def alone(what: Alone) -> None:
    """Wait until nobody else does it; until the present transaction ends."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [what.value])
