"""signalrun: what became of the signal, in words, as JSON and as exit code."""

from collections.abc import Callable

import pytest
from commanding import command

from runs import queue, starting
from runs.models import Message, Run
from runs.workers.pool import Pool

Write = Callable[..., str]
pytestmark = pytest.mark.django_db(transaction=True)


def waiting() -> Run:
    body = "(input, ctx) => ctx.waitForEvent({signal: 'ok'}, {label: 'Sign-off'})"
    run = starting.start(f"export default {body}").run
    (held,) = queue.claim("here")
    Pool().advance(held)
    return run


def test_it_says_what_became_of_the_signal() -> None:
    run = waiting()
    assert "kept: no open wait" in command("signalrun", run.pk, "other").succeeded().out
    sent = command("signalrun", run.pk[:20], "ok", "--payload", '{"by": "Ana"}', "--id", "x").succeeded()
    assert sent.out == "delivered: it answers the wait Sign-off\n"
    assert "repeated" in command("signalrun", run.pk, "ok", "--id", "x").succeeded().out
    assert Message.objects.get(name="ok").payload == {"by": "Ana"}


def test_json_is_one_object() -> None:
    run = waiting()
    told = command("signalrun", run.pk, "ok", "--wait-id", "w1", "--json").succeeded().json
    assert told == {
        "outcome": "delivered",
        "reason": "it answers the wait Sign-off",
        "runId": run.pk,
        "waitId": "w1",
    }


def test_a_refusal_is_exit_code_2_with_the_reason() -> None:
    run = waiting()
    command("signalrun", run.pk, "ok", "--wait-id", "w7").refused("no longer waiting for that")
    command("signalrun", run.pk, "").refused("name of the signal is empty")
    command("signalrun", run.pk, "ok", "--payload", "{").refused("--payload")
    command("signalrun", "0123", "ok").refused("there is no run")
    command("cancelrun", run.pk).succeeded()
    told = command("signalrun", run.pk, "ok", "--json")
    assert (told.code, told.json["outcome"]) == (2, "refused")
    assert not Message.objects.exists()


def test_showrun_lists_what_a_run_waits_for() -> None:
    run = waiting()
    assert "waits for the signal ok (Sign-off) as w1" in command("showrun", run.pk).succeeded().out
    assert "Waiting for Sign-off" in command("showrun", run.pk, "--json").succeeded().json["words"]
