"""The words for where a run stands."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from runs.lifecycle import Status
from runs.models import Run
from runs.words import moment, span, status_phrase, status_words, waits

NOW = datetime(2025, 3, 4, 14, 0, tzinfo=UTC)


def run(status: Status, **fields: Any) -> Run:
    return Run(status=status, queued_at=NOW, **fields)


def timer(call_seq: int, at: datetime, kind: str = "timer") -> dict[str, Any]:
    return {"kind": kind, "callSeq": call_seq, "wakeAt": int(at.timestamp() * 1000)}


def test_every_status_has_words() -> None:
    for status in Status:
        assert status_words(run(status), NOW)


def test_a_sleeping_run_says_until_when() -> None:
    soon, days_on = NOW + timedelta(minutes=5), NOW + timedelta(days=3)
    assert status_words(run(Status.WAITING, wake_at=soon, wait=[timer(1, soon)]), NOW) == "Sleeping until 14:05:00 UTC"
    words = status_words(run(Status.WAITING, wake_at=days_on, wait=[timer(1, days_on)]), NOW)
    assert words == "Sleeping until 2025-03-07 14:00 UTC"


def test_a_phrase_keeps_its_moments_apart_from_its_words() -> None:
    soon = NOW + timedelta(minutes=5)
    assert status_phrase(run(Status.WAITING, wake_at=soon, wait=[timer(1, soon)]), NOW) == ["Sleeping until ", soon]
    assert status_phrase(run(Status.QUEUED), NOW) == ["Queued since ", NOW]
    assert status_phrase(run(Status.FAILED, error_code="lint"), NOW) == ["Failed: lint"]


def test_a_retry_that_waits_names_its_call() -> None:
    at = NOW + timedelta(seconds=30)
    waiting = run(Status.WAITING, wake_at=at, wait=[timer(3, at, "retry")])
    assert status_words(waiting, NOW) == "Waiting to try call 3 again at 14:00:30 UTC"


def test_a_run_that_is_overdue_does_not_claim_to_sleep() -> None:
    at = NOW - timedelta(seconds=30)
    assert "Due since 13:59:30" in status_words(run(Status.WAITING, wake_at=at, wait=[timer(1, at)]), NOW)


def test_a_running_run_whose_lease_is_over_says_so() -> None:
    late = run(Status.RUNNING, lease_until=NOW - timedelta(seconds=1), started_at=NOW)
    assert "has not answered since" in status_words(late, NOW)
    asked = run(Status.RUNNING, lease_until=NOW + timedelta(seconds=9), cancel_requested_at=NOW)
    assert status_words(asked, NOW) == "Canceling since 14:00:00 UTC"


def test_an_ended_run_says_how_and_how_long_it_took() -> None:
    took = {"started_at": NOW, "finished_at": NOW + timedelta(seconds=75)}
    assert status_words(run(Status.SUCCEEDED, **took), NOW) == "Succeeded in 1 min 15 s"
    assert status_words(run(Status.SUCCEEDED, **took, successor="0abc"), NOW) == "Continued as 0abc"
    assert status_words(run(Status.FAILED, error_code="lint", **took), NOW) == "Failed: lint"
    assert status_words(run(Status.CANCELED), NOW) == "Canceled"


def wait(seq: int, *, signal: str = "", label: str | None = None, until: datetime | None = None) -> dict[str, Any]:
    match = {"signal": signal} if signal else {}
    at = int(until.timestamp() * 1000) if until else None
    return {"kind": "wait", "callSeq": seq, "waitId": f"w{seq}", "match": match, "label": label, "wakeAt": at}


def test_a_run_that_waits_for_people_says_for_what() -> None:
    until = NOW + timedelta(seconds=1)
    named = run(Status.WAITING, wait=[wait(1, signal="ok", label="sign-off"), wait(2)], wake_at=until)
    assert status_words(named, NOW) == "Waiting for sign-off and 1 more until 14:00:01 UTC"
    assert status_words(run(Status.WAITING, wait=[wait(1, signal="ok")]), NOW) == "Waiting for ok"
    assert status_words(run(Status.WAITING, wait=[wait(1)]), NOW) == "Waiting for a signal"


def test_a_run_that_waits_for_children_says_for_how_many() -> None:
    children = [{"kind": "child", "callSeq": seq} for seq in (1, 2)]
    assert status_words(run(Status.WAITING, wait=children), NOW) == "Waiting for 2 children"
    assert status_words(run(Status.WAITING, wait=children[:1]), NOW) == "Waiting for 1 child"
    timed = [*children, timer(3, NOW + timedelta(seconds=1))]
    told = status_words(run(Status.WAITING, wait=timed, wake_at=NOW + timedelta(seconds=1)), NOW)
    assert told == "Waiting for 2 children, or until 14:00:01 UTC"


def test_waits_and_children_are_listed_each_with_its_own_words() -> None:
    until = NOW + timedelta(seconds=1)
    parts = [wait(1, signal="ok", label="sign-off"), wait(2, until=until), {"kind": "child", "callSeq": 3}]
    assert waits(run(Status.WAITING, wait=parts), NOW) == [
        "call 1: waits for the signal ok (sign-off) as w1",
        "call 3: waits for its child",
        "call 2: waits for any signal as w2, until 14:00:01 UTC",
    ]


def test_waits_are_listed_the_next_one_first() -> None:
    first, second = NOW + timedelta(seconds=1), NOW + timedelta(seconds=2)
    waiting = run(Status.WAITING, wake_at=first, wait=[timer(1, second), timer(2, first, "retry")])
    assert waits(waiting, NOW) == ["call 2: tries again at 14:00:01 UTC", "call 1: sleeps until 14:00:02 UTC"]
    assert waits(run(Status.RUNNING), NOW) == []


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 ms"),
        (0.02, "20 ms"),
        (1, "1 s"),
        (1.5, "1.5 s"),
        (60, "1 min"),
        (310, "5 min 10 s"),
        (3600, "1 h"),
        (5400, "1 h 30 min"),
        (48 * 3600, "2 days"),
        (76 * 3600, "3 days 4 h"),
    ],
)
def test_a_span_has_its_two_largest_units(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_moments_are_in_utc_whatever_the_zone() -> None:
    assert moment(datetime.fromisoformat("2025-03-04T16:30:00+02:00"), NOW) == "14:30:00 UTC"
