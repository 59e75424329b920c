"""Attempts of a run as a whole: a retryable failure is tried again, with growing pauses, until `max_attempts`."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from cases.replaying import assert_replay_agrees
from django.utils import timezone

from runs import clock, queue
from runs.errors import BadInput
from runs.models import Run
from runs.signals import send
from runs.starting import start
from runs.tools import ToolError, registered, tool
from runs.words import status_words, waits
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db(transaction=True)
seen: list[Any] = []


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    seen.clear()
    with registered():

        @tool("well_at")
        def well_at(time: int, retryable: bool = True) -> int:
            seen.append("well_at")
            if seen.count("well_at") < time:
                raise ToolError("not-yet", "come again", retryable=retryable)
            return time

        @tool("first")
        def first() -> str:
            seen.append("first")
            return "first"

        yield


def begun(given: dict[str, Any], **how: Any) -> Run:
    source = "export default async (input, ctx) => [await ctx.call('first'), await ctx.call('well_at', input)]"
    return advanced(start(source, input=given, **how).run)


def advanced(run: Run) -> Run:
    (held,) = queue.claim("test", only=run.pk)
    Resident(held).advance()
    return Run.objects.select_related("journal", "source").get(pk=run.pk)


def in_time(run: Run) -> Run:
    """Its pause is over, and the clock has looked."""
    Run.objects.filter(pk=run.pk).update(wake_at=timezone.now())
    clock.tick()
    return advanced(run)


def test_a_retryable_failure_waits_and_is_retried_like_an_operator_s() -> None:
    run = begun({"time": 3}, max_attempts=3)
    assert (run.status, run.error_code, run.attempt, run.finished_at) == ("waiting", "not-yet", 1, None)
    assert status_words(run).startswith("Failed: not-yet; attempt 2 of 3 at ")
    assert waits(run)[0].startswith("the run: is tried again at ")
    run = in_time(run)
    assert (run.status, run.attempt) == ("waiting", 2)
    run = in_time(run)
    assert (run.status, run.output, run.attempt, run.error) == ("succeeded", ["first", 3], 3, None)
    assert seen == ["first", "well_at", "well_at", "well_at"]
    assert_replay_agrees(run)


def test_the_pauses_grow() -> None:
    run = begun({"time": 9}, max_attempts=9)
    pauses = []
    for _ in range(3):
        pauses.append((run.wake_at - run.updated_at) / timedelta(seconds=1))
        run = in_time(run)
    assert [round(pause) for pause in pauses] == [1, 2, 4]


def test_the_last_attempt_is_final_and_so_is_a_failure_that_is_not_retryable() -> None:
    run = in_time(begun({"time": 9}, max_attempts=2))
    assert (run.status, run.error_code, run.attempt) == ("failed", "not-yet", 2)
    run = begun({"time": 99, "retryable": False}, max_attempts=5)
    assert (run.status, run.attempt) == ("failed", 1)


def test_a_run_has_one_attempt_unless_told_otherwise() -> None:
    assert begun({"time": 2}).status == "failed"
    for attempts in (0, 1001, 1.5, True, "2"):
        with pytest.raises(BadInput, match="between 1 and 1000"):
            start("export default () => 1", max_attempts=attempts)  # type: ignore[arg-type]


def test_the_pause_before_an_attempt_is_none_of_the_time_that_the_attempt_has() -> None:
    run = begun({"time": 2}, max_attempts=2, budget={"wallSeconds": 30})
    assert run.wake_at + timedelta(seconds=30) == run.deadline_at
    assert in_time(run).output == ["first", 2]


def test_a_successor_has_as_many_attempts_as_its_predecessor() -> None:
    source = """export default async (input, ctx) => input === null
        ? ctx.continueAsNew({time: 2}) : ctx.call('well_at', input)"""
    first = advanced(start(source, max_attempts=2).run)
    second = advanced(Run.objects.get(pk=first.successor))
    assert (second.status, second.error_code) == ("waiting", "not-yet")
    assert in_time(second).output == 2


def test_a_child_that_has_failed_retryably_is_made_again_by_the_next_attempt_of_its_parent() -> None:
    kid = "export default (input, ctx) => ctx.call('well_at', {time: 2})"
    run = advanced(start(f"export default (input, ctx) => ctx.delegate({{script: {kid!r}}})", max_attempts=2).run)
    assert advanced(run.children.get()).status == "failed"
    run = advanced(run)
    assert (run.status, run.error_code, run.error["childRunId"]) == ("waiting", "not-yet", run.children.get().pk)
    run = in_time(run)
    advanced(run.children.latest("pk"))
    assert advanced(run).output == 2
    assert run.children.count() == 2


def test_a_signal_does_not_end_the_pause() -> None:
    run = begun({"time": 2}, max_attempts=2)
    assert send(run.pk, "go").outcome == "kept"
    assert Run.objects.get(pk=run.pk).status == "waiting"


def test_two_clocks_begin_one_attempt() -> None:
    run = begun({"time": 2}, max_attempts=2)
    Run.objects.filter(pk=run.pk).update(wake_at=timezone.now())
    clock.tick()
    clock.tick()
    assert Run.objects.get(pk=run.pk).attempt == 2
