"""Read-only copies of runs that came from a file (see `runs.portable`), as all others meet them.

A copy has a status of its own, `imported`, which no move starts from and none leads to. So whoever claims, wakes, times
out, signals, cancels, retries or counts live runs passes it by without knowing of it. What the run was when it was
exported is kept aside, for people and for exporting it again.
"""

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from runs.errors import NotPossible
from runs.models import Run

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_ABOUT = frozenset({"title", "owner", "key", "cancelReason"})  # what a replay does not depend on


def exported(run: Run) -> dict[str, Any]:
    """The facts of a copy as they stood in its file (see `runs.portable.facts`), without the values of its row."""
    assert run.imported is not None, "only a copy has been imported"
    facts: dict[str, Any] = run.imported["facts"]
    return facts


def standing(run: Run) -> str:
    """The status; of a copy the one that the run had when it was exported."""
    return exported(run)["status"] if run.is_copy else run.status


def as_it_was(run: Run) -> Run:
    """The run, or for a copy one that is not in the database and stands as when it was exported: to be shown."""
    if not run.is_copy:
        return run
    facts, then = exported(run), copy.copy(run)
    then.status, then.waits_on, then.held_back = facts["status"], facts["waitsOn"], facts["heldBack"]
    then.wait, then.successor = facts["wait"], facts["successor"] or ""
    then.concurrency_key, then.concurrency_limit = facts["concurrencyKey"], facts["concurrencyLimit"]
    then.wake_at, then.finished_at = moment(facts["wakeAt"]), moment(facts["finishedAt"])
    then.updated_at = micros_to_time(facts["updatedAt"])
    return then


def redacted(run: Run) -> list[str]:
    """The paths whose values were taken out of the file of a copy; [] for any other run."""
    paths: list[str] = exported(run)["redacted"] if run.is_copy else []
    return paths


def replays(run: Run) -> bool:
    """Whether its journal can answer its script: not where values were taken out that the script has seen."""
    return replays_as(redacted(run))


def replays_as(paths: list[str]) -> bool:
    """The same of the paths that were taken out."""
    return all(path in _ABOUT for path in paths)


def told(run: Run) -> dict[str, Any] | None:
    """What JSON says of a copy; None for any other run."""
    if not run.is_copy:
        return None
    assert run.imported is not None
    changed = micros_to_time(exported(run)["updatedAt"]).isoformat()
    at = micros_to_time(run.imported["at"]).isoformat()
    return {"at": at, "status": standing(run), "changedAt": changed, "redacted": redacted(run)}


def refuse(run: Run, what: str) -> None:
    """Raises `NotPossible` for a copy; `what` is done to a run: "retried"."""
    if run.is_copy:
        raise NotPossible(f"run {run.pk} {cannot_be(what)}")


def cannot_be(what: str) -> str:
    return f"is an imported copy, which is only read: it cannot be {what}. Fork it to go on from one of its calls"


def micros(at: datetime) -> int:
    """Microseconds since the epoch, exactly."""
    return (at - _EPOCH) // _MICROSECOND


def micros_to_time(count: int) -> datetime:
    return _EPOCH + count * _MICROSECOND


def moment(count: int | None) -> datetime | None:
    return None if count is None else micros_to_time(count)
