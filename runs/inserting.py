"""A new run: its row, its journal and, where it is new, its source, in the fewest statements."""

from django.db import connection

from journal import hot
from runs import rows
from runs.models import Run, Source
from runs.models.source import held_sql


def insert(run: Run, source: Source | None) -> None:
    """Write `run`, whose journal (`store.fresh`) is not yet written, and `source`, unless its content is there.

    On PostgreSQL it is one statement, and outside of a transaction one commit.
    """
    with hot.cursor() as cursor:
        if connection.vendor == "postgresql":
            *before, (last, its_values) = [*_of_source_held(source), rows.insertion(run.journal), rows.insertion(run)]
            named = ", ".join(f"part{number} AS ({sql})" for number, (sql, _) in enumerate(before))
            cursor.execute(f"WITH {named} {last}", [*(value for _, values in before for value in values), *its_values])
        else:
            for sql, values in [*_of_source(source), rows.insertion(run.journal), rows.insertion(run)]:
                cursor.execute(sql, values)
    for row in (run, run.journal, source):
        if row is not None:
            rows.mark_written(row)


def _of_source(source: Source | None, *, unless: str = "") -> list[rows.Statement]:
    if source is None:
        return []
    sql, values = rows.insertion(source, unless=unless)
    return [(f"{sql} ON CONFLICT DO NOTHING", values)]


def _of_source_held(source: Source | None) -> list[rows.Statement]:
    """Looks for it before it is written, as `Source.keep` does: whoever deletes it at this moment is waited for."""
    if source is None:
        return []
    return [(held_sql(), [source.pk]), *_of_source(source, unless="SELECT 1 FROM part0")]
