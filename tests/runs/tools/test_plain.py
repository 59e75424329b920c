import dataclasses
import datetime as dt
import enum
import json
import math
import uuid
import warnings
from collections import OrderedDict, defaultdict, namedtuple
from decimal import Decimal
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from journal import codec
from runs.tools import ToolError, plain, to_json
from runs.tools.plain import MAX_SAFE

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_SAFE, MAX_SAFE) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=30,
)  # fmt: skip

Pair = namedtuple("Pair", "left right")  # noqa: PYI024


class Level(enum.IntEnum):
    HIGH = 3


class Kind(enum.StrEnum):
    GIFT = "gift"


class Colour(enum.Enum):
    RED = "red"


class Chatty(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


class Half(float):
    __slots__ = ()


@dataclasses.dataclass
class Node:
    name: str
    below: Any = None


class Order(BaseModel):
    number: int
    at: dt.date
    lines: list[tuple[str, Decimal]] = []


def refusal(value: Any) -> str:
    with pytest.raises(ToolError) as caught:
        to_json(value)
    assert caught.value.code == "invalid-result"
    assert not caught.value.retryable
    return caught.value.message


def plain_all_through(value: Any) -> bool:
    if type(value) is dict:
        return all(type(key) is str and plain_all_through(item) for key, item in value.items())
    if type(value) is list:
        return all(map(plain_all_through, value))
    return value is None or type(value) in (str, int, float, bool)


@given(JSON)
def test_a_json_value_is_unchanged_and_survives_json_and_cbor(value: Any) -> None:
    made = to_json(value)
    assert made == value
    assert plain_all_through(made)
    for again in (json.loads(json.dumps(made)), codec.decode(codec.encode(made))):
        assert again == made
        assert repr(again) == repr(made), "also in type, sign of zero and order of keys"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_negative_zero_is_left(value: float) -> None:
    for made in (to_json(value), to_json([value])[0], to_json({"x": value})["x"]):
        assert made == value
        assert made != 0 or math.copysign(1, made) == 1


def test_the_result_shares_nothing_that_the_tool_may_still_change() -> None:
    inner: list[int] = [1]
    value = {"inner": inner}
    made = to_json(value)
    inner.append(2)
    value["more"] = inner
    assert made == {"inner": [1]}


MOMENT = dt.datetime(2024, 5, 1, 10, 20, 30, 123456, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "value",
    [
        MOMENT,
        MOMENT.replace(tzinfo=None),
        MOMENT.astimezone(dt.timezone(dt.timedelta(hours=5, minutes=30))),
        MOMENT.date(),
        MOMENT.time(),
        dt.timedelta(days=1, seconds=2, microseconds=3),
        -dt.timedelta(days=1),
        Decimal("1.50"),
        Decimal("NaN"),
        uuid.UUID("12345678" * 4),
        gettext_lazy("Save"),
    ],
)
def test_djangos_types_are_written_as_django_writes_them(value: Any) -> None:
    expected = json.loads(json.dumps([value], cls=DjangoJSONEncoder))
    assert to_json([value]) == expected
    assert [to_json(value)] == expected
    assert plain_all_through(to_json({"x": value}))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, (2,)), [1, [2]]),
        (Pair(1, "b"), [1, "b"]),
        (OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
        (defaultdict(list, a=[1]), {"a": [1]}),
        (Level.HIGH, 3),
        (Kind.GIFT, "gift"),
        ({Kind.GIFT: Level.HIGH}, {"gift": 3}),
        ({Chatty("x"): 1}, {"x": 1}),
        (Chatty("x"), "x"),
        (mark_safe("<b>"), "<b>"),
        (Half(0.5), 0.5),
        (True, True),
        ([True, 1, 1.0], [True, 1, 1.0]),
        (Node("a", [Node("b")]), {"name": "a", "below": [{"name": "b", "below": None}]}),
        (
            Order(number=1, at=dt.date(2024, 5, 1), lines=[("x", Decimal("1.5"))]),
            {"number": 1, "at": "2024-05-01", "lines": [["x", "1.5"]]},
        ),
        (MAX_SAFE, MAX_SAFE),
        (-MAX_SAFE, -MAX_SAFE),
        (1e300, 1e300),
        ("a\0\ud800", "a\0\ud800"),
    ],
)
def test_what_has_one_meaning_in_json_becomes_plain(value: Any, expected: Any) -> None:
    made = to_json(value)
    assert repr(made) == repr(expected)
    assert plain_all_through(made)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"items": [0, 1, 2, {"price": math.nan}]}, ["result.items[3].price:", "NaN is not JSON"]),
        (-math.inf, ["at result:", "Infinity"]),
        ([2**53], ["result[0]", "9007199254740992", "2^53-1", "string"]),
        (-(2**53), ["2^53-1"]),
        ({"a b": {"x": b"raw"}}, ["result['a b'].x", "bytes", "base64"]),
        ({"tags": {1}}, ["result.tags", "set", "sorted"]),
        ({"deep": {3: "x"}}, ["result.deep:", "the key 3", "int", "str(key)"]),
        ({None: 1}, ["at result:", "the key None"]),
        ([Colour.RED], ["result[0]", "Colour", ".value"]),
        ((x for x in [1]), ["generator", "list(...)"]),
        (map(str, [1]), ["map", "list(...)"]),
        (range(3), ["range"]),
        (ValueError("x"), ["ValueError", "raise it"]),
        (Node, ["type", "an instance"]),
        (1j, ["complex"]),
        (object(), ["builtins.object is not JSON", "a dict of what the script needs"]),
        (Node("a", Node("b", {1})), ["result.below.below", "set"]),
        (dt.time(1, 2, tzinfo=dt.UTC), ["timezone-aware"]),
    ],
)
def test_what_json_or_javascript_would_change_is_refused_by_its_path(value: Any, words: list[str]) -> None:
    message = refusal(value)
    for word in words:
        assert word in message


def test_an_integer_of_many_digits_is_refused_without_writing_it_out() -> None:
    assert "an integer of 100,001 bits is beyond 2^53-1" in refusal(2**100_000)
    assert "the key an integer of 100,001 bits" in refusal({2**100_000: 1})


def test_models_and_querysets_are_refused_with_what_to_return_instead() -> None:
    from runs.models.store import StoreItem

    assert "result.item: runs.models.store.StoreItem" in refusal({"item": StoreItem(key="a")})
    assert "values('field', ...)" in refusal(StoreItem.objects.all())
    assert "values('field', ...)" in refusal(StoreItem.objects)


def test_a_coroutine_that_nobody_awaited_is_named_and_leaves_no_warning() -> None:
    async def fetch() -> int:
        return 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "fetch was not awaited" in refusal({"x": fetch()})


def test_cycles_are_refused_where_they_close() -> None:
    row: dict[str, Any] = {"n": 1}
    row["items"] = [0, {"parent": row}]
    assert "at result.items[1].parent: a cycle" in refusal(row)
    node = Node("a")
    node.below = [node]
    assert "at result.below[0]: a cycle" in refusal(node)
    own: list[Any] = []
    own.append(own)
    assert "at result[0]: a cycle" in refusal(own)


def test_a_value_that_appears_twice_is_no_cycle() -> None:
    shared = [1]
    assert to_json({"a": shared, "b": [shared, shared]}) == {"a": [1], "b": [[1], [1]]}


def test_nesting_is_taken_to_200_and_no_deeper() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = {"x": deep}
    made = to_json(deep)
    assert codec.decode(codec.encode(made)) == json.loads(json.dumps(made)) == deep
    message = refusal([deep])
    assert "nested deeper than 200" in message
    assert "cycle" not in message
    assert len(message) < 500


def test_a_small_value_that_unfolds_to_billions_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb: Any = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(ToolError, match="result-too-large"):
        to_json(["x" * 1_000_000] * 1_000)
    monkeypatch.setattr(plain, "hard_limit", lambda: 100_000)  # by itself it takes a second or two
    with pytest.raises(ToolError, match="result-too-large: the value returned more than 100,000 bytes"):
        to_json(bomb)


def test_an_error_of_the_values_own_methods_passes() -> None:
    class Broken(dict):  # type: ignore[type-arg]
        def items(self) -> Any:
            raise LookupError("gone")

    with pytest.raises(LookupError):
        to_json(Broken(a=1))
