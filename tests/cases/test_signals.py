"""C6 to C10 and C13 on rows: what becomes of a signal, and of several that race for one wait."""

import threading
from contextlib import suppress
from typing import Any

import pytest
from cases.engines import BOTH
from cases.here import begun, drain, due, events, inbox
from cases.installation import Installation, entries, look
from cases.replaying import assert_replay_agrees, assert_whole
from cases.together import together
from helpers import eventually

from runs import clock, queue, signals
from runs.agents.registry import registered_agents
from runs.cancelling import cancel
from runs.errors import BadInput, NotPossible, UnknownRun
from runs.held import HeldRun
from runs.host import Parked, Round
from runs.lifecycle import Status
from runs.models import Message, Run
from runs.workers.pool import Pool

pytestmark = BOTH
RUNNING = False


@pytest.fixture(autouse=True)
def _nothing_else_is_queued(house: Installation) -> None:
    Run.objects.filter(finished_at=None).update(
        status=Status.CANCELED, lease_until=None, wake_at=None, finished_at="2020-01-01T00:00Z"
    )


def sent(run: Run, *args: Any, **more: Any) -> tuple[str, str]:
    told = signals.send(run.pk, *args, **more)
    return told.outcome, told.reason


def test_a_signal_that_an_open_wait_takes_is_delivered(house: Installation) -> None:
    run = begun("return await ctx.waitForEvent({signal: 'ok'}, {label: 'Sign-off'})")
    told = signals.send(run.pk, "ok", {"by": "Ana"})
    assert told.as_dict() == {
        "outcome": "delivered",
        "reason": "it answers the wait Sign-off",
        "runId": run.pk,
        "waitId": "w1",
    }
    drain()
    assert look(run).output == {"signal": "ok", "payload": {"by": "Ana"}}
    assert_replay_agrees(look(run))
    (message,) = Message.objects.filter(run=run)
    assert message.taken_seq == entries(run, "event")[0].seq


def test_c6_a_signal_before_the_wait_is_kept(house: Installation) -> None:
    """C6: sent while the run sleeps, kept, delivered at the wait; it does not wake the run again and again."""
    run = begun("await ctx.sleep(300); await ctx.sleep(300); return await ctx.waitForEvent({})")
    assert sent(run, "a", 1)[0] == "kept"
    assert look(run).status == Status.WAITING
    for _ in range(2):
        assert inbox(run) == [1]
        eventually(lambda: clock.tick(dead_workers=False).woken)
        drain(but=3)
    assert look(run).output == {"signal": "a", "payload": 1}


def test_c7_three_signals_of_a_loop_arrive_in_order(house: Installation) -> None:
    run = begun("const got = []; while (got.length < 3) got.push((await ctx.waitForEvent({})).payload); return got")
    assert [sent(run, "n", number)[0] for number in (1, 2, 3)] == ["delivered", "kept", "kept"]
    drain()
    assert look(run).output == [1, 2, 3]


def test_c9_the_same_id_twice_counts_once_and_no_id_twice(house: Installation) -> None:
    run = begun("const got = []; while (got.length < 3) got.push((await ctx.waitForEvent({})).payload); return got")
    assert [sent(run, "n", 1, id="x")[0] for _ in range(2)] == ["delivered", "repeated"]
    drain()
    assert sent(run, "n", 1, id="x") == ("repeated", "a signal with the id x was sent before")
    sent(run, "n", 2)
    sent(run, "n", 2)
    drain()
    assert look(run).output == [1, 2, 2]
    assert sent(run, "n", 1, id="x")[0] == "repeated", "a sender that did not hear of the end may ask again"
    assert sent(run, "n", 1, id="y")[0] == "refused"


def test_c10_of_two_waits_one_is_answered_and_the_other_stays(house: Installation) -> None:
    run = begun("""return await ctx.parallel([() => ctx.waitForEvent({signal: 'a'}, {label: 'Ana'}),
        () => ctx.waitForEvent({signal: 'b'}, {label: 'Ben'})])""")
    signals.send(run.pk, "b")
    drain()
    found = look(run)
    assert found.status == Status.WAITING
    assert [(part["waitId"], part["label"]) for part in found.wait] == [("w1", "Ana")]


def test_c2_a_wait_that_lost_a_race_takes_no_signal(house: Installation) -> None:
    run = begun("""const won = await Promise.race([ctx.waitForEvent({signal: 'a'}), ctx.sleep(5).then(() => 's')]);
        await ctx.call('echo', {v: 1}); return [won, (await ctx.waitForEvent({signal: 'a'})).payload]""")
    assert signals.send(run.pk, "a", 7).wait_id == "w4"
    drain()
    assert look(run).output == ["s", 7]
    assert_replay_agrees(look(run))


def test_a_signal_for_one_wait_answers_that_one_or_is_refused(house: Installation) -> None:
    run = begun("return await ctx.parallel([() => ctx.waitForEvent({}), () => ctx.waitForEvent({})])")
    assert signals.send(run.pk, "a", 2, wait_id="w2").wait_id == "w2"
    assert sent(run, "a", wait_id="w2") == ("refused", "that wait (w2) has been answered already")
    assert sent(run, "a", wait_id="w9") == ("refused", "the run is no longer waiting for that (w9)")
    drain()
    assert sent(run, "a", wait_id="w2")[0] == "refused"
    signals.send(run.pk, "a", 1)
    drain()
    assert [event["payload"] for event in look(run).output] == [1, 2]
    assert inbox(run) == []


@pytest.mark.parametrize("end", ["succeeded", "failed", "canceled"])
def test_a_run_that_has_ended_refuses_a_signal_by_name(house: Installation, end: str) -> None:
    run = begun({"failed": "throw new Error('x')", "canceled": "await ctx.sleep(60000)"}.get(end, "return 1"))
    if end == "canceled":
        cancel(run.pk)
    outcome, reason = sent(run, "a")
    assert outcome == "refused"
    assert end in reason
    assert not Message.objects.filter(run=run).exists()


def test_an_agent_refuses_a_signal(house: Installation) -> None:
    with registered_agents(quiet=lambda: None):
        run = begun("await ctx.sleep(60000)")
        Run.objects.filter(pk=run.pk).update(kind=Run.Kind.AGENT)
        assert sent(run, "a")[0] == "refused"


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("", {}, "name of the signal is empty"),
        (" ", {}, "name of the signal is empty"),
        ("x" * 201, {}, "the most is 200"),
        ("a\0", {}, "NUL"),
        ("a", {"id": ""}, "id of the signal is empty"),
        ("a", {"id": "x" * 256}, "the most is 255"),
        ("a", {"payload": float("nan")}, "NaN"),
        ("a", {"payload": "x" * 300_000}, "the limit is"),
    ],
)
def test_a_signal_that_cannot_be_taken_is_bad_input(
    house: Installation, name: str, more: dict[str, Any], words: str
) -> None:
    run = begun("await ctx.waitForEvent({})")
    with pytest.raises(BadInput, match=words):
        signals.send(run.pk, name, **more)
    with pytest.raises(UnknownRun):
        signals.send("nope", "a")


def test_c13_what_is_canceled_stays_so(house: Installation) -> None:
    """C13: canceled while sleeping; past the wake time nothing has fired."""
    run = begun("await ctx.sleep(60000)")
    assert cancel(run.pk, "enough").done == [run.pk]
    due(look(run))
    drain()
    found = look(run)
    assert (found.status, found.error["message"][:16]) == (Status.CANCELED, "canceled: enough")
    assert entries(run, "fired") == []
    with pytest.raises(NotPossible, match="has ended"):
        cancel(run.pk)


def test_two_senders_a_timeout_and_a_cancel_race_for_one_wait_and_one_outcome_remains(house: Installation) -> None:
    """Whatever comes first: one event at most, a delivered signal is in the journal or in the inbox, and what was
    canceled has no event after that. In some rounds one of them is let go first, so that each has won."""
    outcomes = set()
    for number in range(24):
        run = begun("return await ctx.waitForEvent({}, {timeout: 60000})")
        told: list[str] = []
        races = [
            lambda run=run, told=told: told.append(signals.send(run.pk, "a", "first").outcome),
            lambda run=run, told=told: told.append(signals.send(run.pk, "a", "second").outcome),
            lambda run=run: due(run),
            lambda: drain_alone(),
        ]
        if number % 2:
            races.append(lambda run=run: _cancel_if_possible(run))
        if number % 4 == 1:
            races.pop()()
        elif number % 4 == 2:
            races.pop(0)()
            drain()
        together(*races)
        drain()
        found = look(run)
        if found.status not in (Status.SUCCEEDED, Status.CANCELED):
            raise AssertionError(f"{found.status} {found.wait} {told}")
        assert_whole(found)
        got = events(run)
        assert len(got) == (found.status == Status.SUCCEEDED)
        assert len(told) == 2
        taken = [payload for payload in got if payload]
        assert sorted(taken + inbox(run)) == sorted({"first", "second"} - refused(run, told)), told
        assert told.count("delivered") <= 1 or found.status == Status.CANCELED
        if found.status == Status.SUCCEEDED:
            assert_replay_agrees(found)
        outcomes.add((found.status, bool(taken)))
    assert outcomes >= {(Status.CANCELED, False), (Status.SUCCEEDED, True)}


def refused(run: Run, told: list[str]) -> set[str]:
    """The payloads that were refused: those that have no row."""
    rows = {message.payload for message in Message.objects.filter(run=run)}
    missing = {"first", "second"} - rows
    assert len(missing) == told.count("refused")
    return missing


def drain_alone() -> None:
    """Another worker at the same time."""
    pool = Pool()
    for _ in range(20):
        for claimed in queue.claim("there"):
            pool.advance(claimed)


def _cancel_if_possible(run: Run) -> None:
    with suppress(NotPossible):
        cancel(run.pk)


def test_a_signal_and_a_park_at_the_same_time_never_miss_each_other(house: Installation) -> None:
    """The holder parks with an inbox that it has seen; whichever commits first, the run is queued again."""
    for _ in range(30):
        run = begun("await ctx.waitForEvent({})")
        signals.send(run.pk, "x", 0)
        (held,) = queue.claim("here", only=run.pk)
        seen = frozenset(Message.objects.filter(run=run).values_list("pk", flat=True))
        wait = {"kind": "wait", "callSeq": 1, "waitId": "w1", "match": {"signal": "ok"}, "label": None, "wakeAt": None}
        together(
            lambda held=held, seen=seen, wait=wait: HeldRun(held).commit(Round(ending=Parked(None, [wait], seen))),
            lambda run=run: signals.send(run.pk, "ok", 1),
        )
        assert look(run).status == Status.QUEUED


def test_a_park_after_a_cancel_is_the_end(house: Installation) -> None:
    """The holder was not told yet: it parks a run that is to be canceled."""
    run = begun("await ctx.waitForEvent({})")
    signals.send(run.pk, "x", 0)
    (held,) = queue.claim("here", only=run.pk)
    assert cancel(run.pk, "enough").told == [run.pk]
    HeldRun(held).commit(Round(ending=Parked(None, [], None)))
    assert (look(run).status, look(run).error["message"][:16]) == (Status.CANCELED, "canceled: enough")


def test_a_run_that_is_claimed_after_its_holder_died_is_canceled_at_once(house: Installation) -> None:
    run = begun("await ctx.waitForEvent({})")
    signals.send(run.pk, "x", 0)
    (held,) = queue.claim("gone", only=run.pk)
    cancel(run.pk)
    queue.release({held.pk: held.fence})
    drain()
    assert look(run).status == Status.CANCELED
    assert events(run) == []


def test_two_senders_with_one_id_at_the_same_time_write_one_message(house: Installation) -> None:
    for number in range(10):
        run = begun("await ctx.waitForEvent({}); await ctx.waitForEvent({})")
        told: list[str] = []
        lock = threading.Lock()

        def send(run: Run = run, told: list[str] = told, lock: threading.Lock = lock, number: int = number) -> None:
            outcome = signals.send(run.pk, "a", id=f"id {number}").outcome
            with lock:
                told.append(outcome)

        together(send, send, send)
        assert sorted(told) == ["delivered", "repeated", "repeated"]
        assert Message.objects.filter(run=run).count() == 1
    clock.tick(dead_workers=False)
