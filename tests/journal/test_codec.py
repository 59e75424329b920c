"""JSON values to CBOR and back, losing nothing."""

import json
import math
from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from journal import codec

text = st.text(st.characters(exclude_categories=[]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=30,
)


def written(value: Any) -> str:
    return json.dumps(value)


@given(values)
def test_any_json_value_comes_back_the_same_in_type_order_and_sign(value: Any) -> None:
    assert written(codec.decode(codec.encode(value))) == written(value)


@pytest.mark.parametrize(
    "value",
    [
        0,
        -0.0,
        1,
        1.0,
        2**53,
        -(2**53),
        2**64,
        -(2**70),
        5e-324,
        1.7976931348623157e308,
        "",
        "\0",
        "a\0b",
        "\ud800",
        "\udfffx\ud800",
        "\U0001f600",
        {"b": 1, "a": 2, "10": 3, "2": 4},
        {"\ud800": {"\udc00": ["\ud800"]}},
        {"": None, "__proto__": 1},
        [[[]]],
        {},
        [],
        True,
        False,
        None,
        [1, True, 1.0],
    ],
)
def test_edges_come_back_the_same(value: Any) -> None:
    assert written(codec.decode(codec.encode(value))) == written(value)


def test_the_sign_of_zero_is_kept() -> None:
    assert math.copysign(1, codec.decode(codec.encode(-0.0))) == -1


def test_a_lone_surrogate_travels_as_tag_273_and_other_text_as_plain_text() -> None:
    assert codec.encode("\ud800") == bytes([0xD9, 0x01, 0x11, 0x43, 0xED, 0xA0, 0x80])
    assert cbor2.loads(codec.encode({"plain": "ä"})) == {"plain": "ä"}
    assert cbor2.loads(codec.encode(["ä", "\ud800"]))[0] == "ä"


def test_bytes_of_the_database_may_be_a_memoryview() -> None:
    assert codec.decode(memoryview(codec.encode({"a": [1]}))) == {"a": [1]}


@pytest.mark.parametrize("depth", [1, 200, 250])
def test_deep_values_come_back(depth: int) -> None:
    value: Any = "\ud800" if depth == 200 else 1
    for _ in range(depth):
        value = [value]
    assert codec.decode(codec.encode(value)) == value


@pytest.mark.parametrize("damaged", [b"", b"\xff", b"\x82\x01", b"\x61"])
def test_damaged_bytes_are_refused(damaged: bytes) -> None:
    with pytest.raises(cbor2.CBORDecodeError):
        codec.decode(damaged)


def test_a_tag_that_is_not_ours_is_left_alone() -> None:
    assert codec.decode(cbor2.dumps(cbor2.CBORTag(999, "x"))) == cbor2.CBORTag(999, "x")
