"""Writing many rows at once: COPY on PostgreSQL, one prepared statement on SQLite."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection

from journal.models import Journal, JournalScript, RunJournal
from runs.models import Run
from runs.seeding.rows import Rows, columns_of, table_of


def write(rows: Rows) -> None:
    """In the caller's transaction, what is referred to before what refers to it."""
    tables = ((Journal, rows.journals), (Run, rows.runs), (RunJournal, rows.entries), (JournalScript, rows.scripts))
    for model, of_table in tables:
        columns = columns_of(model)
        quote = connection.ops.quote_name
        into = f"{quote(table_of(model))} ({', '.join(map(quote, columns))})"
        tuples = (tuple(row[name] for name in columns) for row in of_table)
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                _copy(cursor, into, tuples)
            else:
                _insert(cursor, into, len(columns), tuples)


def _copy(cursor: Any, into: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with cursor.copy(f"COPY {into} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)


def _insert(cursor: Any, into: str, width: int, rows: Iterable[tuple[Any, ...]]) -> None:
    marks = ", ".join(["%s"] * width)
    adapted = [[_adapted(value) for value in row] for row in rows]
    cursor.executemany(f"INSERT INTO {into} VALUES ({marks})", adapted)  # noqa: S608


def _adapted(value: Any) -> Any:
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value
