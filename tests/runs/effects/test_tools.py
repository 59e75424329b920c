"""Calls on threads: what was given up before it began is not executed, and tells so."""

import threading

from helpers import eventually

from runs.effects.tools import ToolEffects
from runs.host import Call
from runs.tools import registered


def call(seq: int, tool: str) -> Call:
    return Call("run", seq, tool, {}, 1, None)


def test_a_call_begins_when_it_has_a_thread_and_completes_once() -> None:
    with registered({"one": lambda: 1}):
        effects, first = ToolEffects(), call(1, "one")
        effects.start(first)
        [completion] = eventually(lambda: effects.wait(1))
        assert (completion.ok, completion.value, first.begun.is_set()) == (True, 1, True)
        assert effects.wait(0) == []


def test_a_call_that_was_cancelled_while_it_waited_for_a_thread_is_never_executed() -> None:
    executed = threading.Event()

    def mark() -> None:
        executed.set()

    with registered({"mark": mark}):
        effects, given_up, after = ToolEffects(), call(1, "mark"), call(2, "echo")
        given_up.cancelled.set()
        effects.start(given_up)
        effects.start(after)
        [completion] = eventually(lambda: effects.wait(1))
        assert completion.call_seq == 2
        assert not executed.is_set()
        assert not given_up.begun.is_set()


def test_a_poke_ends_the_waiting() -> None:
    effects = ToolEffects()
    effects.poke()
    assert effects.wait(None) == []
