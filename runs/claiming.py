"""What a claim writes, as plain SQL: it is on the path of every run.

On PostgreSQL a claim of any number of runs is one statement, and so one round trip and one commit, unless a concurrency
key has a say in it (`runs.places`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db import connection

from journal import hot, store
from journal.models import Journal
from runs import places, rows, times
from runs.conf import conf
from runs.lifecycle import Move, Status, written
from runs.models import Run, Source

# Interactive before background.
_COLUMNS = "SELECT id, concurrency_key, concurrency_limit, queued_at FROM runs_run WHERE status = 'queued'"
NEXT = f"{_COLUMNS} AND NOT held_back ORDER BY queue DESC, priority DESC, queued_at LIMIT %s"
_ONE = f"{_COLUMNS} AND id = %s"
_LOCKED = " FOR UPDATE SKIP LOCKED"
_QUEUED = "EXISTS (SELECT 1 FROM runs_run WHERE status = 'queued' AND NOT held_back)"
_FREED = "EXISTS (SELECT 1 FROM runs_concurrencykey WHERE freed)"
_SOURCES = 32  # kept in memory; each has at most `source_max_bytes`


def anything() -> tuple[bool, bool]:
    """Whether runs are queued, and whether places of concurrency keys have become free. One read."""
    with hot.cursor() as cursor:
        cursor.execute(f"SELECT {_QUEUED}, {_FREED}")
        queued, freed = cursor.fetchone()
    return bool(queued), bool(freed)


def candidates(limit: int, only: str | None) -> list[places.Candidate]:
    """What is next, locked against other claims where the database can lock rows. In the transaction of the claim."""
    sql = NEXT if only is None else _ONE
    if connection.features.has_select_for_update_skip_locked:
        sql += _LOCKED
    with connection.cursor() as cursor:
        cursor.execute(sql, [limit if only is None else only])
        return [places.Candidate(*row) for row in cursor.fetchall()]


def hold(worker: str, ids: Sequence[str]) -> list[Run]:
    """Give candidates to `worker`, in the transaction that has locked them; returns them in the order of `ids`."""
    sets, values = _sets(worker)
    marks = ", ".join(["%s"] * len(ids))
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE runs_run SET {sets} WHERE id IN ({marks})", [*values, *ids])  # noqa: S608
        store.take_fence(ids)
        cursor.execute(
            f"SELECT {_loaded('run', 'journal')} FROM runs_run run JOIN journal ON journal.run_id = run.journal_id"  # noqa: S608
            f" WHERE run.id IN ({marks})",
            list(ids),
        )
        held = {run.pk: run for run in map(_run, cursor.fetchall())}
    return [held[pk] for pk in ids]


def at_once(worker: str, limit: int) -> list[Run] | None:
    """Claim up to `limit` runs, where the database can write in a WITH; None, and nothing claimed, where a concurrency
    key is among the candidates or has free places."""
    sets, values = _sets(worker)
    with hot.cursor() as cursor:
        cursor.execute(
            f"WITH next AS MATERIALIZED ({NEXT}{_LOCKED}),"  # noqa: S608
            " mine AS MATERIALIZED (SELECT id FROM next WHERE NOT EXISTS"
            f" (SELECT 1 FROM next WHERE concurrency_key IS NOT NULL) AND NOT {_FREED}),"
            f" run AS (UPDATE runs_run SET {sets} FROM mine WHERE runs_run.id = mine.id"
            f" AND runs_run.status = '{Status.QUEUED}' RETURNING runs_run.*),"
            " fenced AS (UPDATE journal SET fence = journal.fence + 1 FROM run WHERE journal.run_id = run.journal_id"
            " RETURNING journal.*)"
            f" SELECT {_FREED} OR EXISTS (SELECT 1 FROM next WHERE concurrency_key IS NOT NULL),"
            f" {_loaded('run', 'fenced')} FROM (VALUES (1)) AS always"
            " LEFT JOIN (run JOIN fenced ON fenced.run_id = run.journal_id) ON TRUE"
            " ORDER BY run.queue DESC, run.priority DESC, run.queued_at",
            [limit, *values],
        )
        found = cursor.fetchall()
    if found[0][0]:
        return None
    return [_run(row[1:]) for row in found if row[1] is not None]


def _sets(worker: str) -> tuple[str, list[Any]]:
    sets, values = rows.assignments(Run, written(Move.CLAIM) | {"worker": worker})
    until, plus = times.sql(conf().lease_seconds)
    started, now = times.sql()
    sets += (
        f", fence = runs_run.fence + 1, lease_until = {until}, started_at = COALESCE(runs_run.started_at, {started})"
    )
    return sets, [*values, *plus, *now]


def _loaded(run: str, journal: str) -> str:
    return f"{rows.columns(Run, run)}, {rows.columns(Journal, journal)}"


def _run(row: Sequence[Any]) -> Run:
    run = rows.load(Run, row[: rows.width(Run)])
    run.journal = rows.load(Journal, row[rows.width(Run) :])
    if run.source_id is not None:
        run.source = _source(run.source_id)
    return run


@lru_cache(maxsize=_SOURCES)
def _source(sha256: str) -> Source:
    """A source never changes, and many runs have the same."""
    return Source.objects.get(pk=sha256)
