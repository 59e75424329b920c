"""Attempts of a run as a whole: a retryable failure is tried again, with growing pauses, until `max_attempts`."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from cases.replaying import assert_replay_agrees
from django.utils import timezone

from journal import store
from runs import clock, queue
from runs.agents import AgentContext
from runs.agents.registry import registered_agents
from runs.cancelling import cancel
from runs.errors import BadInput
from runs.host import Lost
from runs.host.rehearsal import Rehearsal, Stood
from runs.models import Run, Source
from runs.realm import Realm
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
    run, before = None, timezone.now()
    for pause in (1, 2, 4):
        run = in_time(run) if run else begun({"time": 9}, max_attempts=9)
        assert before <= run.wake_at - timedelta(seconds=pause) <= timezone.now()
        before = timezone.now()


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


def due(*runs: Run) -> int:
    """How many of them two looks of the clock have woken."""
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(wake_at=timezone.now())
    return clock.tick().woken + clock.tick().woken


def standing(run: Run) -> tuple[str, str, int]:
    run.refresh_from_db()
    return run.status, run.error_code, run.attempt


def test_two_clocks_begin_one_attempt() -> None:
    run = begun({"time": 2}, max_attempts=2)
    assert due(run) == 1
    assert standing(advanced(run)) == ("succeeded", "", 2)
    notices = [entry.body["attempt"] for entry in store.read(run.journal_id) if "attempt" in entry.body]
    assert notices == [2]


def test_the_clock_replays_nothing_so_that_no_other_wake_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = [begun({"time": 99}, max_attempts=2) for _ in range(3)]
    asleep = advanced(start("export default (input, ctx) => ctx.sleep(60000)").run)

    def replayed(_: Rehearsal) -> Stood:
        raise AssertionError("the clock replays")

    with monkeypatch.context() as patch:
        patch.setattr(Rehearsal, "stand", replayed)
        assert due(*failed, asleep) == 4
    assert {standing(run) for run in failed} == {("queued", "not-yet", 1)}
    assert standing(asleep)[0] == "queued"
    assert [standing(advanced(run)) for run in failed] == [("failed", "not-yet", 2)] * 3


def test_the_attempt_of_a_worker_that_died_before_it_began_is_begun_by_the_next() -> None:
    run = begun({"time": 2}, max_attempts=2)
    due(run)
    (dead,) = queue.claim("dead", only=run.pk)
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now())
    clock.tick()
    assert standing(run) == ("queued", "not-yet", 1)
    assert standing(advanced(run)) == ("succeeded", "", 2)
    outcome = Resident(dead).advance()
    assert isinstance(outcome, Lost), "a late worker begins an attempt that another has begun"
    assert standing(run) == ("succeeded", "", 2)
    assert seen == ["first", "well_at", "well_at"]


def test_a_worker_that_dies_while_it_begins_an_attempt_has_changed_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun({"time": 2}, max_attempts=2)
    due(run)
    before = [(entry.seq, entry.body) for entry in store.read(run.journal_id)]
    with monkeypatch.context() as patch:
        patch.setattr("journal.store.append", Mock(side_effect=KeyboardInterrupt))
        (held,) = queue.claim("test", only=run.pk)
        with pytest.raises(KeyboardInterrupt):
            Resident(held).advance()
    assert standing(run) == ("running", "not-yet", 1)
    assert [(entry.seq, entry.body) for entry in store.read(run.journal_id, superseded=False)] == before
    queue.release({held.pk: held.fence})
    assert standing(advanced(run)) == ("succeeded", "", 2)


def test_an_attempt_that_is_refused_leaves_the_failure_final() -> None:
    run = begun({"time": 2}, max_attempts=2)
    Run.objects.filter(pk=run.pk).update(source=Source.keep("not a script"))
    due(run)
    assert standing(advanced(run)) == ("failed", "not-yet", 1)
    assert run.error["message"] == "come again"


@pytest.mark.parametrize("when", ["while it fails", "before its next attempt"])
def test_a_run_that_is_to_be_canceled_is_not_tried_again(when: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start("export default (input, ctx) => ctx.call('well_at', {time: 2})", max_attempts=2).run
    (held,) = queue.claim("test", only=run.pk)
    resident = Resident(held)
    if when == "while it fails":
        cancel(run.pk, "enough")  # and its worker has not been told
        resident.advance()
    else:
        resident.advance()
        due(run)
        (held,) = queue.claim("test", only=run.pk)
        cancel(run.pk, "enough")
        queue.release({held.pk: held.fence})
        advanced(run)
    assert standing(run) == ("canceled", "canceled", 1)
    assert run.error["message"].startswith("canceled: enough")


def test_a_replay_that_never_ends_is_in_the_sight_of_the_watchdog(monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun({"time": 2}, max_attempts=2)
    due(run)
    (held,) = queue.claim("test", only=run.pk)
    resident = Resident(held)
    assert resident.realm is None
    looks: list[bool] = []
    start_script = Realm.start
    monkeypatch.setattr(Realm, "start", lambda realm: (looks.append(resident.realm is realm), start_script(realm)))
    resident.advance()
    assert looks == [True, True], "the replay and the run"


def test_an_agent_is_tried_again_as_a_whole() -> None:
    tries: list[int] = []

    def unsteady(context: AgentContext) -> int:
        tries.append(context.attempt)
        if context.attempt < 2:
            raise ToolError("not-yet", "come again", retryable=True)
        return context.attempt

    with registered_agents(unsteady=unsteady):
        parent = advanced(start("export default (input, ctx) => ctx.delegate({agent: 'unsteady'})").run)
        child = parent.children.get()
        Run.objects.filter(pk=child.pk).update(max_attempts=2)
        assert standing(advanced(child)) == ("waiting", "not-yet", 1)
        due(child)
        assert standing(advanced(child)) == ("succeeded", "", 2)
        assert advanced(parent).output == 2
    assert tries == [1, 2]
