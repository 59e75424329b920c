"""How the database answers what a function asks: the plan of each of its queries, parameters bound as it binds them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


@contextmanager
def asked() -> Iterator[list[tuple[str, Any]]]:
    """Collects the SELECTs of the block, each with its parameters."""
    queries: list[tuple[str, Any]] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip("( ").upper().startswith("SELECT") or sql.upper().startswith("WITH"):
            queries.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield queries


def plan(sql: str, params: Any) -> str:
    """As the planner says it. On PostgreSQL, whose small tables are quicker read whole, it may do so only where there
    is no other way."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off"
            )
            cursor.execute("EXPLAIN " + sql, params)
            return "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("EXPLAIN QUERY PLAN " + sql, params)
        return "\n".join(row[3] for row in cursor.fetchall())


def scans(planned: str, table: str = "runs_run") -> list[str]:
    """The lines of a plan that read the whole table, save in the order of the primary key or of a list of roots: a
    page stops there after its rows."""
    if connection.vendor == "postgresql":
        return [line for line in planned.splitlines() if f"Seq Scan on {table}" in line]
    lines = [line for line in planned.splitlines() if line.startswith(f"SCAN {table}")]
    return [line for line in lines if not line.endswith(("autoindex_runs_run_1", "root_newest", "signs_newest"))]


def sorts(planned: str) -> list[str]:
    """The lines that put rows in order by themselves."""
    return [line for line in planned.splitlines() if "TEMP B-TREE FOR ORDER BY" in line or "Sort  " in line]
