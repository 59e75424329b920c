"""Calls on threads: what was given up before it began is not executed, and tells so; and none begins on a lease that
may be over."""

import threading

import pytest
from helpers import eventually

from journal.errors import FenceLost
from runs.effects.tools import ToolEffects
from runs.host import Call
from runs.tools import registered


class Held:
    """A lease: one that is not fresh is fresh once renewed, unless it is lost."""

    def __init__(self, *, fresh: bool = True, lost: bool = False) -> None:
        self.is_fresh, self.lost, self.renewals = fresh, lost, 0

    def fresh(self) -> bool:
        return self.is_fresh

    def renew(self) -> None:
        if self.lost:
            raise FenceLost("run", 1)
        self.renewals += not self.is_fresh
        self.is_fresh = True


def call(seq: int, tool: str) -> Call:
    return Call("run", seq, tool, {}, 1, None)


def test_a_call_begins_when_it_has_a_thread_and_completes_once() -> None:
    with registered({"one": lambda: 1}):
        effects, first = ToolEffects(Held()), call(1, "one")
        effects.start(first)
        [completion] = eventually(lambda: effects.wait(1))
        assert (completion.ok, completion.value, first.begun.is_set()) == (True, 1, True)
        assert effects.wait(0) == []


def test_a_call_that_was_cancelled_while_it_waited_for_a_thread_is_never_executed() -> None:
    executed = threading.Event()

    def mark() -> None:
        executed.set()

    with registered({"mark": mark}):
        effects, given_up, after = ToolEffects(Held()), call(1, "mark"), call(2, "echo")
        given_up.cancelled.set()
        effects.start(given_up)
        effects.start(after)
        [completion] = eventually(lambda: effects.wait(1))
        assert completion.call_seq == 2
        assert not executed.is_set()
        assert not given_up.begun.is_set()


def test_a_poke_ends_the_waiting() -> None:
    effects = ToolEffects(Held())
    effects.poke()
    assert effects.wait(None) == []


def test_on_an_old_lease_calls_begin_when_it_has_been_renewed_once() -> None:
    counted: list[int] = []
    lease = Held(fresh=False)
    with registered({"count": lambda: counted.append(1)}):
        effects, calls = ToolEffects(lease), [call(seq, "count") for seq in (1, 2, 3)]
        for one in calls:
            effects.start(one)
        done = []
        while len(done) < 3:
            assert len(counted) == 0 or lease.renewals == 1
            done += effects.wait(5)
    assert sorted(completion.call_seq for completion in done) == [1, 2, 3]
    assert (len(counted), lease.renewals) == (3, 1)


def test_on_a_lease_that_is_lost_no_call_begins() -> None:
    counted: list[int] = []
    with registered({"count": lambda: counted.append(1)}):
        effects, one = ToolEffects(Held(fresh=False, lost=True)), call(1, "count")
        effects.start(one)
        with pytest.raises(FenceLost):
            effects.wait(60)
    assert (counted, one.begun.is_set()) == ([], False)


def test_a_call_that_came_back_and_is_no_longer_wanted_costs_no_renewal() -> None:
    lease = Held(fresh=False, lost=True)
    effects, one = ToolEffects(lease), call(1, "echo")
    effects.start(one)
    eventually(lambda: not effects._done.empty())
    one.cancelled.set()
    assert effects.wait(0) == []
