"""SignalRun and CancelRun: what is told is told once, noted down along with it, and not at all where it is refused."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import ECHO, WAITS, done, refused, told, waiting
from going import begun, go_on

from runs import audit
from runs.api.caller import Caller
from runs.api.dispatch import answer
from runs.ids import new_id
from runs.models import Message, Run
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_signal_answers_the_wait(owner: Caller) -> None:
    run = waiting(owner)
    status, said = told(owner, "SignalRun", runId=run.pk, name="go", payload={"by": "Ana"}, reason="signed")
    assert (status, said["outcome"], said["runId"], said["waitId"]) == (200, "delivered", run.pk, "w1")
    assert go_on(run).output == {"by": "Ana"}
    assert Message.objects.get().sender == owner.user
    (deed,) = audit.deeds(run)
    assert (deed.verb, deed.reason) == ("signal", "signed")
    assert deed.facts == {"signal": "go", "outcome": "delivered", "via": owner.via}


def test_a_signal_that_no_wait_takes_is_kept_and_the_same_id_again_changes_nothing(owner: Caller) -> None:
    run = waiting(owner)
    outcomes = [done(owner, "SignalRun", runId=run.pk, name="later", id="1")["outcome"] for _ in range(2)]
    assert outcomes == ["kept", "repeated"]
    assert Message.objects.count() == 1
    assert len(audit.deeds(run)) == 1


def test_a_named_wait_alone_is_answered(owner: Caller) -> None:
    run = waiting(owner)
    (wait,) = done(owner, "GetRun", runId=run.pk)["run"]["openWaits"]
    assert refused(owner, "SignalRun", 409, runId=run.pk, name="go", waitId="w9").code == "not-possible"
    said = done(owner, "SignalRun", runId=run.pk, name="go", waitId=wait["waitId"])
    assert (said["outcome"], said["waitId"]) == ("delivered", wait["waitId"])


def test_a_successor_gets_the_signal_and_the_note(owner: Caller) -> None:
    run = begun(f"if (input !== 2) await ctx.continueAsNew(2);\n{WAITS}", owner=owner.user)
    said = done(owner, "SignalRun", runId=run.pk, name="go")
    assert said["runId"] == run.successor
    assert [deed.verb for deed in audit.deeds(Run.objects.get(pk=run.successor))] == ["signal"]
    assert audit.deeds(run) == []


def test_a_run_that_has_ended_takes_no_signal(owner: Caller) -> None:
    run = begun("return 1", owner=owner.user)
    error = refused(owner, "SignalRun", 409, runId=run.pk, name="go")
    assert (error.code, "has ended" in error.message) == ("not-possible", True)
    assert not Message.objects.exists()
    assert audit.deeds(run) == []


def test_a_cancel_stops_the_run_and_all_below_it(owner: Caller) -> None:
    child = f"export default async (input, ctx) => {{ {WAITS} }}"
    run = begun(f"return ctx.delegate({{script: {child!r}}})", owner=owner.user)
    below = Run.objects.get(parent=run)
    said = done(owner, "CancelRun", runId=run.pk, reason="ordered twice")
    assert said == {"runId": run.pk, "runIds": [run.pk, below.pk]}
    assert set(Run.objects.values_list("status", flat=True)) == {"canceled"}
    assert "ordered twice" in Run.objects.get(pk=run.pk).error["message"]
    (deed,) = audit.deeds(run)
    assert (deed.verb, deed.reason, deed.facts) == ("cancel", "ordered twice", {"stopped": 2, "via": owner.via})
    assert refused(owner, "CancelRun", 409, runId=run.pk).code == "not-possible"
    assert len(audit.deeds(run)) == 1


@pytest.mark.parametrize("name", ["SignalRun", "CancelRun"])
def test_without_its_note_nothing_is_done(owner: Caller, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    run = waiting(owner)
    before = Run.objects.values().get(pk=run.pk)
    monkeypatch.setattr("runs.audit.record_all", fail)
    with pytest.raises(RuntimeError):
        answer(owner, name, {"runId": run.pk} | ({"name": "go"} if name == "SignalRun" else {}))
    assert Run.objects.values().get(pk=run.pk) == before
    assert not Message.objects.exists()


@pytest.mark.parametrize(("name", "more"), [("SignalRun", {"name": "go"}), ("CancelRun", {})])
def test_a_run_of_somebody_else_is_as_one_that_is_not_there(
    owner: Caller, caller: Callable[..., Caller], name: str, more: dict[str, Any]
) -> None:
    foreign, none = start(ECHO, owner=caller("bob").user).run.pk, new_id()
    one, other = (refused(owner, name, 404, runId=run_id, **more) for run_id in (foreign, none))
    assert (one.code, one.message.replace(foreign, none)) == (other.code, other.message)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "name is required"),
        ({"name": ""}, "name"),
        ({"name": " "}, "name is blank"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\0"}, "name has a NUL"),
        ({"name": "go", "id": " \t"}, "id is blank"),
        ({"name": "go", "id": "x" * 256}, "id"),
        ({"name": "go", "waitId": ""}, "waitId"),
        ({"name": "go", "reason": "x" * 501}, "reason"),
        ({"name": "go", "payload": "x" * 300_000}, "bytes"),
        ({"name": "go", "payload": -(2**60)}, "2^53"),
        ({"name": "go", "wait_id": "w1"}, "waitId"),
    ],
)
def test_a_signal_that_cannot_be_sent_is_refused_in_words(owner: Caller, fields: dict[str, Any], words: str) -> None:
    run = waiting(owner)
    assert words in refused(owner, "SignalRun", 422, runId=run.pk, **fields).message
    assert not Message.objects.exists()
