"""What clients may send, and what they are told otherwise."""

import json

import pytest

from runs.watching.protocol import FRAME_MAX, RefusedFrame, Subscribe, Unsubscribe, append_frame, encoded, parse

RUN = "01jqzk7v3c8m2n4p5q6r7s8t9v"
KEY = f"runs/{RUN}"


def code_of(text: str | None) -> str:
    with pytest.raises(RefusedFrame) as refused:
        parse(text)
    return refused.value.code


def test_a_subscription_names_a_root_and_nothing_else_is_needed() -> None:
    assert parse(json.dumps({"_": "Subscribe", "key": KEY})) == Subscribe(RUN, {}, None, None)


def test_a_number_after_which_is_wanted_means_the_journal_of_the_root() -> None:
    asked = parse(json.dumps({"_": "Subscribe", "key": KEY, "afterSeq": 12}))
    assert asked == Subscribe(RUN, {RUN: 12}, None, None)


def test_a_subscription_says_what_it_has_of_each_run_and_what_it_wants() -> None:
    frame = {"_": "Subscribe", "key": KEY, "afterSeq": {RUN: 3, "b2": 0}, "journals": ["b2"], "last": 500}
    assert parse(json.dumps(frame)) == Subscribe(RUN, {RUN: 3, "b2": 0}, frozenset({"b2"}), 500)


def test_unsubscribing_names_the_key() -> None:
    assert parse(json.dumps({"_": "Unsubscribe", "key": KEY})) == Unsubscribe(KEY)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{",
        "[" * 100_000,
        "null",
        "[]",
        '"Subscribe"',
        "1e999",
        *(
            json.dumps({"_": "Subscribe"} | fields)
            for fields in (
                {},
                {"key": None},
                {"key": 7},
                {"key": RUN},
                {"key": "runs/"},
                {"key": "runs/../x"},
                {"key": "runs/\u0000"},
                {"key": f"runs/{RUN}x"},
                {"key": KEY, "afterSeq": -1},
                {"key": KEY, "afterSeq": True},
                {"key": KEY, "afterSeq": 1.5},
                {"key": KEY, "afterSeq": "12"},
                {"key": KEY, "afterSeq": [1]},
                {"key": KEY, "afterSeq": {RUN: None}},
                {"key": KEY, "afterSeq": {RUN: 2**53}},
                {"key": KEY, "afterSeq": {"'; --": 1}},
                {"key": KEY, "journals": RUN},
                {"key": KEY, "journals": [1]},
                {"key": KEY, "journals": {RUN: 1}},
                {"key": KEY, "last": -1},
                {"key": KEY, "last": "all"},
            )
        ),
    ],
    ids=lambda text: repr(text)[:50],
)
def test_what_is_not_of_the_protocol_is_a_bad_frame(text: str | None) -> None:
    assert code_of(text) == "bad-frame"


@pytest.mark.parametrize("name", ["Signal", "Cancel", "Retry", "subscribe", "__class__", None, 5, ["Subscribe"], {}])
def test_other_names_are_unknown(name: object) -> None:
    assert code_of(json.dumps({"_": name, "key": KEY})) == "unknown-frame"


def test_a_huge_frame_is_refused_before_it_is_parsed() -> None:
    assert code_of('"' + "x" * FRAME_MAX + '"') == "too-large"
    assert code_of('"' + "é" * (FRAME_MAX // 2) + '"') == "too-large"


def test_an_append_is_the_json_of_its_parts() -> None:
    text = append_frame(KEY, RUN, [encoded({"seq": 1, "line": '</script> "\ud800" \u202e'}), encoded({"seq": 2})])
    assert text.isascii()
    entries = [{"seq": 1, "line": '</script> "\ud800" \u202e'}, {"seq": 2}]
    assert json.loads(text) == {"_": "append", "key": KEY, "runId": RUN, "entries": entries}
