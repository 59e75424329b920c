"""Why a run is not moving, and on whom it is."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from runs.lifecycle import Status
from runs.models import Run
from runs.reading.verdict import verdict

NOW = datetime(2025, 3, 4, 14, 0, tzinfo=UTC)
AGO, SOON = NOW - timedelta(minutes=2), NOW + timedelta(minutes=2)


def part(kind: str) -> dict[str, Any]:
    return {"kind": kind, "callSeq": 1}


@pytest.mark.parametrize(
    ("fields", "whose"),
    [
        ({"status": Status.QUEUED, "queued_at": NOW}, "time"),
        ({"status": Status.QUEUED, "queued_at": AGO}, "site"),
        ({"status": Status.QUEUED, "queued_at": AGO, "held_back": True}, "time"),
        ({"status": Status.RUNNING, "lease_until": SOON}, ""),
        ({"status": Status.RUNNING, "lease_until": NOW - timedelta(seconds=5)}, "time"),
        ({"status": Status.RUNNING, "lease_until": AGO}, "site"),
        ({"status": Status.RUNNING, "lease_until": SOON, "cancel_requested_at": NOW}, "time"),
        ({"status": Status.WAITING, "wait": [part("wait")]}, "you"),
        ({"status": Status.WAITING, "wait": [part("child"), part("wait")]}, "you"),
        ({"status": Status.WAITING, "wait": [part("timer")], "wake_at": SOON}, "time"),
        ({"status": Status.WAITING, "wait": [part("timer")], "wake_at": AGO}, "site"),
        ({"status": Status.WAITING, "wait": [part("child")]}, "time"),
        ({"status": Status.WAITING, "wait": [part("attempt")], "wake_at": SOON}, "time"),
        ({"status": Status.FAILED}, "script"),
        ({"status": Status.SUCCEEDED}, ""),
        ({"status": Status.CANCELED}, ""),
    ],
)
def test_the_page_says_whose_turn_it_is(fields: dict[str, Any], whose: str) -> None:
    found = verdict(Run(**fields), NOW)
    assert found.whose == whose
    assert bool(found) == bool(whose)


def test_a_sleeping_run_says_when_it_goes_on() -> None:
    sleeping = Run(status=Status.WAITING, wait=[part("timer")], wake_at=SOON)
    assert verdict(sleeping, NOW).phrase == ["It goes on by itself at ", SOON]
