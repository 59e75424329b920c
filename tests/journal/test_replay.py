"""Folding a journal into what a realm answers from."""

import pytest

from journal import bodies
from journal.bodies import Body
from journal.entries import Entry
from journal.replay import Fold, fold


def folded(*written: Body) -> Fold:
    return fold([Entry.of(seq, 0, body) for seq, body in enumerate(written, 1)])


def call(seq: int, tool: str = "echo", input: object = None) -> Body:
    return bodies.call(seq, tool, input, 4, None)


def test_an_empty_journal_knows_nothing() -> None:
    assert folded() == Fold()


def test_a_call_is_open_until_its_result() -> None:
    one = folded(call(1, input={"a": 1}))
    assert one.groups == [["tool", 1, 4, False, "echo", {"a": 1}]]
    assert list(one.open) == [1]
    two = folded(call(1), bodies.result(1, "k", True, 5))
    assert two.groups[0][3] is True
    assert two.completions == [[1, True, 5]]
    assert two.open == {}


def test_completions_keep_the_order_in_which_they_were_written() -> None:
    failed = {"code": "x", "message": "m", "retryable": False, "detail": None}
    one = folded(
        call(1),
        call(2),
        bodies.timer(3, 10, 99, 7),
        bodies.result(2, "k", False, failed),
        bodies.fired(3, "sleep|10", 0),
        bodies.result(1, "k", True, None),
    )
    assert one.completions == [[2, False, failed], [3, True, None], [1, True, None]]
    assert [group[1] for group in one.groups] == [1, 2, 3]
    assert one.call_seq == 3


def test_a_timer_is_open_with_its_wake_time_until_it_fired() -> None:
    one = folded(bodies.timer(1, 10, 99, 7))
    assert one.groups == [["sleep", 1, 7, False, 10]]
    assert one.open[1].wake_at == 99
    assert folded(bodies.timer(1, 10, 99, 7), bodies.fired(1, "sleep|10", 3)).open == {}


def test_a_pause_before_another_attempt_keeps_the_call_open_and_counts_the_attempts() -> None:
    error = {"code": "x"}
    paused = folded(call(1), bodies.backoff(1, "k", 50, 1, error))
    assert (paused.open[1].attempts, paused.open[1].wake_at) == (1, 50)
    assert paused.completions == []
    trying = folded(call(1), bodies.backoff(1, "k", 50, 1, error), bodies.fired(1, "k", 0, 1))
    assert (trying.open[1].attempts, trying.open[1].wake_at) == (1, None)
    ended = folded(
        call(1),
        bodies.backoff(1, "k", 50, 1, error),
        bodies.fired(1, "k", 0, 1),
        bodies.result(1, "k", True, 2, attempts=2),
    )
    assert ended.open == {}
    assert ended.completions == [[1, True, 2]]
    assert len(ended.groups) == 1


def test_what_completes_in_the_realm_is_done_at_once() -> None:
    snapshot = {"title": None, "steps": []}
    one = folded(
        bodies.now(1, 123),
        bodies.log(2, "info", "m", {"d": 1}),
        bodies.log(3, "warn", "n", None),
        bodies.plan(4, snapshot),
    )
    assert one.groups == [
        ["now", 1, 0, True, 123],
        ["log", 2, 0, True, "info", "m", {"d": 1}],
        ["log", 3, 0, True, "warn", "n", None],
        ["plan", 4, 0, True, snapshot],
    ]
    assert one.open == {}


def test_a_step_is_one_group_that_is_done_when_it_has_ended() -> None:
    start, end = bodies.step(1, "s1", "a", "start", True, None), bodies.step(1, "s1", "a", "end", False, "e")
    assert folded(start).groups == [["step", 1, 0, False, "a"]]
    assert folded(start, end).groups == [["step", 1, 0, True, "a"]]
    assert folded(start).open == {}


def test_what_the_host_wrote_in_its_own_name_is_passed_over() -> None:
    assert folded(bodies.notice("warn", "m")) == Fold()


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="odd"):
        folded({"kind": "odd", "callSeq": 1})
