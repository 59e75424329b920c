"""Attempts of a run as a whole: one that failed retryably and has attempts left is parked and tried again by itself."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from runs.models import Run
from runs.times import to_ms

_FIRST_SECONDS = 1
_MOST_SECONDS = 3600


def next_at(run: Run, error: dict[str, Any]) -> datetime | None:
    """When to try again: pauses double from 1 s to an hour. None where the failure is final."""
    if run.attempt >= run.max_attempts or not error.get("retryable"):
        return None
    return timezone.now() + timedelta(seconds=min(_MOST_SECONDS, _FIRST_SECONDS * 2 ** min(run.attempt - 1, 20)))


def wait_for(run: Run, at: datetime) -> list[dict[str, Any]]:
    """What such a run waits for, as it stands in its row. Beside its error, which tells it from other parked runs."""
    number, wake_at = run.attempt + 1, to_ms(at)
    return [{"kind": "attempt", "callSeq": 0, "attempt": number, "wakeAt": wake_at}]
