"""Asking for an action as the wire does, and holding the answer to what the document says of it."""

import json
from typing import Any

import pytest
from driving import script
from going import begun

from journal import bodies, store
from journal.entries import Entry
from runs.api.actions import ACTIONS
from runs.api.caller import Caller
from runs.api.dispatch import answer
from runs.api.errors import ApiError
from runs.host.failure import failure, run_error
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start

ECHO = script("return input")
WAITS = "return (await ctx.waitForEvent({signal: 'go'}, {label: 'Sign-off'})).payload"
FAILS = "await ctx.call('note', {v: 1}); return ctx.call('once', {v: 'b'})"


def told(caller: Caller, name: str, /, **fields: Any) -> tuple[int, dict[str, Any]]:
    """Status and answer, which is of the shape that the document promises, and JSON."""
    status, said = answer(caller, name, fields)
    ACTIONS[name].Result.model_validate(said)
    assert said == json.loads(json.dumps(said, allow_nan=False))
    return status, said


def done(caller: Caller, name: str, /, **fields: Any) -> dict[str, Any]:
    return told(caller, name, **fields)[1]


def refused(caller: Caller, name: str, status: int, /, **fields: Any) -> ApiError:
    """The refusal, of that HTTP status."""
    with pytest.raises(ApiError) as info:
        answer(caller, name, fields)
    assert info.value.status == status, info.value.message
    return info.value


def waiting(caller: Caller, **how: Any) -> Run:
    """A run of the caller that waits for the signal `go`."""
    return begun(WAITS, owner=caller.user, **how)


def failed(caller: Caller, **how: Any) -> Run:
    """One whose call 2 has failed, and succeeds the second time."""
    return begun(FAILS, owner=caller.user, **how)


def had_failed(caller: Caller) -> Run:
    """As `failed` leaves one, written by hand: without an execution, so also within the transaction of a test."""
    run = start(script(FAILS), owner=caller.user).run
    error = failure("once", "it broke")
    written = [
        bodies.call(1, "note", {"v": 1}, 2, None),
        bodies.result(1, bodies.call_key("note", {"v": 1}), True, 1),
        bodies.call(2, "once", {"v": "b"}, 2, None),
        bodies.result(2, bodies.call_key("once", {"v": "b"}), False, error),
    ]
    store.append(run.journal_id, run.journal.fence, [Entry.of(seq, 1000, body) for seq, body in enumerate(written, 1)])
    told = run_error("once", "it broke", script(FAILS), 2, tool="once", callSeq=2)
    assert move(Run.objects.filter(pk=run.pk), Move.FAIL, error=told, error_code="once", failed_tool="once")
    return Run.objects.get(pk=run.pk)
