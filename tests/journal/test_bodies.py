"""The bodies of entries: the fields of the specification, and keys that depend on content only."""

import pytest

from journal import bodies
from journal.entries import Entry, effect_key


def test_every_body_has_its_kind_and_the_callseq_it_belongs_to() -> None:
    made = [
        bodies.call(3, "t", 1, 2, None),
        bodies.result(3, "k", True, 1),
        bodies.timer(3, 1, 2, 3),
        bodies.backoff(3, "k", 1, 1, {}),
        bodies.fired(3, "k", 0),
        bodies.now(3, 1),
        bodies.log(3, "info", "m", None),
        bodies.step(3, "s1", "l", "start", True, None),
        bodies.plan(3, {}),
    ]
    assert [body["kind"] for body in made] == [
        "call",
        "result",
        "timer",
        "timer",
        "fired",
        "now",
        "log",
        "step",
        "plan",
    ]
    assert {body["callSeq"] for body in made} == {3}
    assert all("key" in body for body in made)


def test_a_result_has_an_output_or_an_error() -> None:
    assert bodies.result(1, "k", True, None).items() >= {"status": "succeeded", "output": None}.items()
    failed = bodies.result(1, "k", False, {"code": "x"}, reexecuted=True, attempts=2)
    assert failed == {
        "kind": "result",
        "callSeq": 1,
        "key": "k",
        "status": "failed",
        "error": {"code": "x"},
        "attempts": 2,
        "reexecuted": True,
    }


def test_what_is_absent_is_left_out() -> None:
    assert "description" not in bodies.call(1, "t", 1, 0, None)
    assert "data" not in bodies.log(1, "info", "m", None)
    assert {"attempts", "reexecuted"}.isdisjoint(bodies.result(1, "k", True, 1))
    assert "succeeded" not in bodies.step(1, "s", "l", "start", True, None)
    assert bodies.step(1, "s", "l", "end", False, "e").items() >= {"succeeded": False, "error": "e"}.items()


def test_a_notice_of_the_host_has_no_key_and_belongs_to_no_call() -> None:
    assert bodies.notice("warn", "m") == {
        "kind": "log",
        "callSeq": 0,
        "level": "warn",
        "message": "m",
        "origin": "host",
    }


def test_an_input_stands_in_its_key_only_as_a_digest() -> None:
    large = bodies.call(1, "t", {"text": "x" * 10_000}, 0, None)
    assert len(large["key"]) < 50


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "1"),
        ({"a": 1}, {"a": 2}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (None, "null"),
        ("\ud800", "\ud801"),
        (True, "True"),
        ({}, []),
        ([1], 1),
    ],
)
def test_different_inputs_have_different_keys(one: object, other: object) -> None:
    assert bodies.call(1, "t", one, 0, None)["key"] != bodies.call(1, "t", other, 0, None)["key"]


def test_equal_inputs_have_equal_keys_whatever_the_line_and_the_description() -> None:
    assert bodies.call(1, "t", {"a": [1]}, 2, "x")["key"] == bodies.call(9, "t", {"a": [1]}, 3, None)["key"]


def test_names_and_numbers_stand_in_a_key_as_they_are_and_long_text_as_a_digest() -> None:
    assert effect_key("sleep", 5000) == "sleep|5000"
    assert effect_key("tool", "echo", []).startswith("tool|echo|")
    assert len(effect_key("log", "info", "x" * 5000)) < 50


def test_an_entry_reads_as_its_body_with_seq_and_time() -> None:
    entry = Entry.of(4, 99, bodies.now(2, 7))
    assert (entry.kind, entry.call_seq) == ("now", 2)
    assert entry.as_dict() == {"seq": 4, "at": 99, "kind": "now", "callSeq": 2, "key": "now", "value": 7}
