"""The time by which hosts agree on leases, wake times and deadlines: the database's, where it keeps one. The time that
passes on this host. And the two ways of writing a moment: a datetime in columns, ms since the epoch in entries and on
the way to the host."""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Value
from django.db.models.functions import Now
from django.utils import timezone

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def now(plus_seconds: float = 0) -> datetime | Any:
    """An expression for a query on PostgreSQL, whose clock all hosts share; the host's own time on SQLite."""
    if connection.vendor == "postgresql":
        return Now() + Value(timedelta(seconds=plus_seconds))
    return timezone.now() + timedelta(seconds=plus_seconds)


def sql(plus_seconds: float = 0) -> tuple[str, list[Any]]:
    """The same for plain SQL: an expression and its parameters."""
    if connection.vendor == "postgresql":
        return "STATEMENT_TIMESTAMP() + %s", [timedelta(seconds=plus_seconds)]
    return "%s", [connection.ops.adapt_datetimefield_value(now(plus_seconds))]


def steady() -> float:
    """Seconds on this host's clock that nobody sets. It goes on while a process is stopped and, on Linux, while the
    machine is asleep."""
    return time.clock_gettime(_STEADY)


def from_ms(ms: int) -> datetime:
    """The moment of an entry's `at` or `wakeAt`, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC)


def to_ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
