"""Attempts of a run as a whole: one that failed retryably and has attempts left is parked and tried again by itself."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from runs.making import deadline
from runs.models import Run
from runs.times import to_ms

_FIRST_SECONDS = 1
_MOST_SECONDS = 3600


def next_at(run: Run, error: dict[str, Any]) -> datetime | None:
    """When to try again: pauses double from 1 s to an hour. None where the failure is final."""
    if run.attempt >= run.max_attempts or not error.get("retryable"):
        return None
    return timezone.now() + timedelta(seconds=min(_MOST_SECONDS, _FIRST_SECONDS * 2 ** min(run.attempt - 1, 20)))


def pause(run: Run, at: datetime) -> dict[str, Any]:
    """The columns of such a run while it waits, beside its error, which tells it from other parked runs. The next
    attempt has all the time that a run has, so the pause is none of this one's."""
    wait = {"kind": "attempt", "callSeq": 0, "attempt": run.attempt + 1, "wakeAt": to_ms(at)}
    return {"wake_at": at, "wait": [wait], "deadline_at": deadline(run.budget, at)}
