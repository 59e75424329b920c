"""A new run: its row, its journal and, where it is new, its source, in the fewest statements."""

from django.db import connection

from journal import hot
from runs import rows
from runs.models import Run, Source


def insert(run: Run, source: Source | None) -> None:
    """Write `run`, whose journal (`store.fresh`) is not yet written, and `source`, unless its content is there.

    On PostgreSQL it is one statement, and outside of a transaction one commit.
    """
    statements = [rows.insertion(run.journal), rows.insertion(run)]
    if source is not None:
        sql, values = rows.insertion(source)
        statements.insert(0, (f"{sql} ON CONFLICT DO NOTHING", values))
    with hot.cursor() as cursor:
        if connection.vendor == "postgresql":
            *before, (last, _) = statements
            named = ", ".join(f"part{number} AS ({sql})" for number, (sql, _) in enumerate(before))
            cursor.execute(f"WITH {named} {last}", [value for _, values in statements for value in values])
        else:
            for sql, values in statements:
                cursor.execute(sql, values)
    for row in (run, run.journal, source):
        if row is not None:
            rows.mark_written(row)
