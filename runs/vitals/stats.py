"""What has been going on: runs of the last days by status, script and error, how long they took, how large they are.

Nothing keeps counters (see `runs.finding`), so the newest runs are looked at, at most `RUNS` of them and for at most
`SECONDS`; where that was not all, the answer says how far it has looked.
"""

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from runs import finding
from runs.finding import Asked, Count
from runs.ids import first_id
from runs.lifecycle import TERMINAL, Status
from runs.models import Run

RUNS = 200_000
SECONDS = 5.0
_BATCH = 2_000
NO_SCRIPT = "(no script of the library)"
_COLUMNS = (
    *("pk", "status", "script__name", "agent", "error_code", "started_at", "finished_at", "created_at"),
    *("journal__next_seq", "journal__bytes"),
)


@dataclass(slots=True)
class OfScript:
    """The runs of one script of the library, or of one agent: how many, of which `failed`, and the seconds that those
    took which have ended, sleeps included."""

    runs: int = 0
    failed: int = 0
    seconds: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Stats:
    """`scripts` and `errors` by name. `complete`: all runs since `since` were looked at; else those since `reached`.
    `entries` and `bytes` are of the journals of the runs looked at, `largest` is the one with most bytes."""

    since: datetime
    runs: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    scripts: dict[str, OfScript] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    entries: int = 0
    bytes: int = 0
    largest: tuple[str, int] | None = None
    reached: datetime | None = None
    complete: bool = False


def counts() -> dict[str, Count]:
    """Of all runs there are, by status; a number ends with + where the counting stopped."""
    everybody = User(is_active=True, is_superuser=True)  # not a row: who may see all of them
    return finding.counts(everybody, Asked())


def stats(days: float, *, most: int = RUNS, seconds: float = SECONDS) -> Stats:
    """Of the runs that were made in the last days, the newest first. Copies of other places' runs are not counted."""
    found = Stats(timezone.now() - timedelta(days=days))
    floor, before, until = first_id(found.since), "", time.monotonic() + seconds
    while found.runs < most:
        rows = _batch(floor, before, min(_BATCH, most - found.runs))
        for row in rows:
            _add(found, row)
        if len(rows) < _BATCH and found.runs < most:
            found.complete = True
            break
        before, found.reached = rows[-1]["pk"], rows[-1]["created_at"]
        if time.monotonic() >= until:
            break
    return found


def percentile(values: list[float], share: float) -> float | None:
    """The least of the values that so large a share of them does not exceed (nearest rank); None of none."""
    if not values:
        return None
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)]


def _batch(floor: str, before: str, size: int) -> list[dict[str, Any]]:
    runs = Run.objects.filter(pk__gte=floor)
    runs = runs.filter(pk__lt=before) if before else runs
    return list(runs.order_by("-pk").values(*_COLUMNS)[:size])


def _add(found: Stats, row: dict[str, Any]) -> None:
    found.runs += 1
    if row["status"] == Status.IMPORTED:
        return
    found.statuses[row["status"]] += 1
    found.entries += row["journal__next_seq"] - 1
    found.bytes += row["journal__bytes"]
    if found.largest is None or row["journal__bytes"] > found.largest[1]:
        found.largest = (row["pk"], row["journal__bytes"])
    of = found.scripts.setdefault(row["script__name"] or row["agent"] or NO_SCRIPT, OfScript())
    of.runs += 1
    if row["error_code"]:
        found.errors[row["error_code"]] += 1
        of.failed += row["status"] == Status.FAILED
    if row["status"] in TERMINAL and row["started_at"] is not None:
        took = (row["finished_at"] - row["started_at"]).total_seconds()
        found.seconds.append(took)
        of.seconds.append(took)
