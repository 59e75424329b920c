"""The last round of a run that owes nothing to a parent or to others of its key: its entries and its end in the fewest
statements. It is on the path of every run; what is rarer takes the ORM's way, in `runs.held`.
"""

from typing import Any

from django.db import connection, transaction

from journal import store
from journal.errors import FenceLost
from runs import rows
from runs.host import Round, Succeeded
from runs.lifecycle import Move, Status, written
from runs.models import Run

_MINE = f"id = %s AND fence = %s AND status = '{Status.RUNNING}'"
_GATE = f"SELECT id FROM runs_run WHERE {_MINE} FOR NO KEY UPDATE"  # noqa: S608


def simple(run: Run, round: Round) -> bool:
    """Whether this round is such a last one: the run has succeeded, and nobody is to be told."""
    told = run.parent_id is not None or run.concurrency_key is not None or round.children or round.letters
    return isinstance(round.ending, Succeeded) and not told


def finish(run: Run, round: Round) -> None:
    """Commit the round and the end; raises `FenceLost`, and writes nothing, where the run is no longer ours."""
    assert isinstance(round.ending, Succeeded)
    changes: dict[str, Any] = written(Move.SUCCEED) | {"output": round.ending.output}
    changes |= {name: value for name in ("plan", "progress") if (value := getattr(round, name)) is not None}
    sets, values = rows.assignments(Run, changes)
    mine: list[Any] = [run.pk, run.fence]
    if store.fits_along(round.entries):
        update = f"UPDATE runs_run SET {sets} FROM held WHERE id = held.run_id AND fence = %s"  # noqa: S608
        along = store.Along(_GATE, mine, update, [*values, run.fence])
        store.append_along(run.journal_id, run.fence, round.entries, round.cpu_ms, along)
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE runs_run SET {sets} WHERE {_MINE}", [*values, *mine])  # noqa: S608
        if cursor.rowcount != 1:
            raise FenceLost(run.pk, run.fence)
        if round.entries or round.cpu_ms:
            store.append(run.journal_id, run.fence, round.entries, round.cpu_ms)
