"""Bars of a run and its calls: what was queued, running and parked, from the journal and the runs' rows."""

from datetime import UTC, datetime
from typing import Any

from runs.lifecycle import Status
from runs.models import Run
from runs.reading.calls import Attempt, CtxCall
from runs.reading.timeline import Bar, timeline

START = 1_700_000_000_000
DAY = 86_400_000


def at(ms: int) -> datetime:
    return datetime.fromtimestamp((START + ms) / 1000, UTC)


def run(
    status: Status = Status.SUCCEEDED, *, started: int | None = 100, finished: int | None = None, **more: Any
) -> Run:
    return Run(
        status=status,
        created_at=at(0),
        queued_at=at(more.pop("queued", 0)),
        updated_at=at(more.pop("updated", 0)),
        started_at=None if started is None else at(started),
        finished_at=None if finished is None else at(finished),
        **more,
    )


def call(op: str, began: int, ended: int | None = None, seq: int = 1, **more: Any) -> CtxCall:
    made = CtxCall(seq, seq, op, "what", more.pop("asked", {}), START + began, **more)
    made.ended = None if ended is None else START + ended
    made.attempts = made.attempts or [Attempt(1, made.began, made.ended)]
    return made


def told(bar: Bar) -> list[tuple[str, int, int]]:
    return [(stretch.state, stretch.start - START, stretch.end - START) for stretch in bar.stretches]


def test_a_run_is_queued_then_running_and_parked_while_it_sleeps() -> None:
    calls = [call("tool", 200, 1000), call("sleep", 1000, DAY + 1500, due=START + DAY + 1000, status="elapsed")]
    line = timeline(run(finished=DAY + 2000), calls, {}, START + 5 * DAY)
    assert told(line.bars[0]) == [
        ("queued", 0, 100),
        ("running", 100, 1000),
        ("parked", 1000, DAY + 1000),
        ("queued", DAY + 1000, DAY + 1500),
        ("running", DAY + 1500, DAY + 2000),
    ]
    assert told(line.bars[1]) == [("running", 200, 1000)]
    assert told(line.bars[2]) == [("parked", 1000, DAY + 1000), ("queued", DAY + 1000, DAY + 1500)]
    assert [fold.start - START for fold in line.axis.folds] == [1000]


def test_a_sleep_beside_a_call_parks_nothing_and_a_short_one_neither() -> None:
    calls = [call("sleep", 100, 9000, due=START + 9000, status="elapsed"), call("tool", 100, 9000, seq=2)]
    assert told(timeline(run(finished=9000), calls, {}, START).bars[0]) == [("queued", 0, 100), ("running", 100, 9000)]
    calls = [call("sleep", 100, 600, due=START + 600, status="elapsed")]
    assert told(timeline(run(finished=700), calls, {}, START).bars[0])[1:] == [("running", 100, 700)]


def test_what_is_open_lasts_until_now() -> None:
    waiting = run(Status.WAITING, updated=300)
    line = timeline(waiting, [call("wait", 200, due=START + DAY)], {}, START + 5000)
    assert told(line.bars[0])[-1] == ("parked", 200, 5000)
    assert told(line.bars[1]) == [("parked", 200, 5000)]
    assert not line.bars[1].ended


def test_a_run_that_nobody_has_claimed_is_all_queued() -> None:
    assert told(timeline(run(Status.QUEUED, started=None), [], {}, START + 5000).bars[0]) == [("queued", 0, 5000)]


def test_the_pause_between_two_attempts_is_parked() -> None:
    attempts = [Attempt(1, START + 100, START + 200), Attempt(2, START + 5200, START + 5300)]
    tried = call("tool", 100, 5300, attempts=attempts)
    bars = timeline(run(finished=5300), [tried], {}, START).bars
    assert told(bars[1]) == [("running", 100, 200), ("parked", 200, 5200), ("running", 5200, 5300)]
    assert bars[1].spent("parked") == 5000


def test_a_child_is_split_by_its_own_row() -> None:
    child = run(Status.WAITING, started=400, updated=900)
    child.pk = "c1"
    delegated = call("agent", 100, asked={"childRunId": "c1"})
    bar = timeline(run(Status.WAITING, updated=150), [delegated], {"c1": child}, START + 3000).bars[1]
    assert told(bar) == [("queued", 100, 400), ("running", 400, 900), ("parked", 900, 3000)]
    assert bar.child is child


def test_bars_of_the_newest_calls_begin_with_the_first_of_them() -> None:
    line = timeline(run(finished=9000), [call("tool", 5000, 6000)], {}, START, partial=True)
    assert told(line.bars[0]) == [("running", 5000, 9000)]
