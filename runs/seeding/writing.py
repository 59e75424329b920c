"""Writing many rows at once: COPY on PostgreSQL, one prepared statement on SQLite."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Model

from journal.models import Journal, JournalScript, RunJournal
from runs.models import Run
from runs.seeding.rows import Rows, columns_of, fields_of, table_of

_CACHE_KIB = 256 * 1024
_LOG_PAGES = 50_000


@contextmanager
def roomy() -> Iterator[None]:
    """Room for the indexes of SQLite, into which runs go in no order: as much in memory as they need, and a longer log
    before it is worked into them. Each transaction is as durable as ever."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        told = {name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("cache_size", "wal_autocheckpoint")}
        for name, value in {"cache_size": -_CACHE_KIB, "wal_autocheckpoint": _LOG_PAGES}.items():
            cursor.execute(f"PRAGMA {name} = {value}")
        try:
            yield
        finally:
            for name, value in told.items():
                cursor.execute(f"PRAGMA {name} = {value}")


def write(rows: Rows) -> None:
    """In the caller's transaction, what is referred to before what refers to it."""
    tables = ((Journal, rows.journals), (Run, rows.runs), (RunJournal, rows.entries), (JournalScript, rows.scripts))
    for model, of_table in tables:
        columns = columns_of(model)
        quote = connection.ops.quote_name
        into = f"{quote(table_of(model))} ({', '.join(map(quote, columns))})"
        tuples = map(itemgetter(*columns), of_table)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                _copy(cursor, into, tuples)
            else:
                _insert(cursor, into, _moments(model), tuples)


def _copy(cursor: Any, into: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with cursor.copy(f"COPY {into} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _insert(cursor: Any, into: str, moments: list[bool], rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join(["%s"] * len(moments))
    at = [n for n, moment in enumerate(moments) if moment]
    adapted = [_adapted(row, at) for row in rows] if at else list(rows)
    cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", adapted)  # noqa: S608


def _moments(model: type[Model]) -> list[bool]:
    """Which of the columns hold a moment, that SQLite takes as text."""
    return [isinstance(field, DateTimeField) for field in fields_of(model)]


def _adapted(row: tuple[Any, ...], at: list[int]) -> list[Any]:
    values = list(row)
    for n in at:
        if values[n] is not None:
            values[n] = _as_text(values[n])
    return values


@lru_cache(maxsize=64)
def _as_text(moment: datetime) -> str:
    """Of a run most are the same few."""
    return str(connection.ops.adapt_datetimefield_value(moment))
