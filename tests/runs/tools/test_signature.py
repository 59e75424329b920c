import dataclasses
import datetime as dt
import enum
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from runs.tools import ToolContext

Call = Callable[..., Any]


class Item(BaseModel):
    name: str
    price: float = 0


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Colour(enum.Enum):
    RED = "red"


def order(
    number: int,
    kind: Literal["sale", "gift"] = "sale",
    items: list[Item] = [],  # noqa: B006
    note: str | None = None,
) -> Any:
    assert all(isinstance(item, Item) for item in items)
    return [number, kind, [item.name for item in items], note]


def test_values_arrive_under_their_names_and_defaults_stay_the_functions_own(gives: Call) -> None:
    assert gives(order, {"number": 3}) == [3, "sale", [], None]
    given = {"number": 3, "kind": "gift", "items": [{"name": "a", "price": 2}], "note": None}
    assert gives(order, given) == [3, "gift", ["a"], None]


def test_null_counts_as_an_empty_object(gives: Call) -> None:
    def tool(n: int = 5) -> int:
        return n

    assert gives(tool, None) == 5
    assert gives(tool, {}) == 5


@pytest.mark.parametrize("given", [5, "x", [], True, [1]])
def test_what_is_no_object_is_refused_with_the_way_to_write_it(fails: Call, given: Any) -> None:
    error = fails(order, given)
    assert error["code"] == "invalid-input"
    assert "ctx.call('probe', {...})" in error["message"]
    assert not error["retryable"]


def test_each_wrong_field_is_named_with_what_was_expected(fails: Call) -> None:
    error = fails(order, {"number": "5", "kind": "loan", "items": [{"name": "a"}, {"price": "dear"}]})
    assert error["code"] == "invalid-input"
    assert error["detail"] == [
        {"field": "number", "message": 'should be a valid integer, not the string "5"'},
        {"field": "kind", "message": "should be 'sale' or 'gift', not the string \"loan\""},
        {"field": "items[1].name", "message": "is required"},
        {"field": "items[1].price", "message": 'should be a valid number, not the string "dear"'},
    ]
    for entry in error["detail"]:
        assert f"{entry['field']} {entry['message']}" in error["message"]


def test_a_missing_field_is_named(fails: Call) -> None:
    assert fails(order)["detail"] == [{"field": "number", "message": "is required"}]


@pytest.mark.parametrize(("wrong", "right"), [("nmber", "number"), ("Number", "number"), ("nOte", "note")])
def test_an_unknown_field_is_refused_with_the_nearest_name(fails: Call, wrong: str, right: str) -> None:
    [complaint] = fails(order, {"number": 1, wrong: 2})["detail"]
    assert complaint == {"field": wrong, "message": f"is not a field of it; did you mean {right}?"}


def test_a_camel_case_name_is_not_taken_and_the_right_one_offered(fails: Call) -> None:
    def tool(timeout_ms: int = 1) -> int:
        return timeout_ms

    assert "did you mean timeout_ms?" in fails(tool, {"timeoutMs": 5})["message"]


@pytest.mark.parametrize(
    ("hint", "given"),
    [
        (int, "5"),
        (int, 5.5),
        (int, True),
        (bool, 1),
        (bool, "true"),
        (str, 5),
        (float, "1"),
        (list[int], "1"),
        (str, None),
    ],
)
def test_no_json_type_is_silently_turned_into_another(fails: Call, hint: Any, given: Any) -> None:
    def tool(value: Any) -> Any:
        return value

    tool.__annotations__["value"] = hint
    assert fails(tool, {"value": given})["code"] == "invalid-input"


@pytest.mark.parametrize(
    ("hint", "given", "expected"),
    [
        (float, 5, 5.0),
        (dt.date, "2024-05-01", dt.date(2024, 5, 1)),
        (dt.datetime, "2024-05-01T10:00:00Z", dt.datetime(2024, 5, 1, 10, tzinfo=dt.UTC)),
        (uuid.UUID, "12345678123456781234567812345678", uuid.UUID("12345678" * 4)),
        (Decimal, "1.50", Decimal("1.50")),
        (Colour, "red", Colour.RED),
        (tuple[int, str], [1, "a"], (1, "a")),
        (set[int], [1, 1], {1}),
        (Point, {"x": 1, "y": 2}, Point(1, 2)),
        (dict[str, list[int]], {"a": [1]}, {"a": [1]}),
        (int | str | None, "5", "5"),
        (Any, {"deep": [None]}, {"deep": [None]}),
    ],
)
def test_pythons_own_types_are_read_from_what_json_has(gives: Call, hint: Any, given: Any, expected: Any) -> None:
    seen = []

    def tool(value: Any) -> None:
        seen.append(value)

    tool.__annotations__["value"] = hint
    gives(tool, {"value": given})
    assert seen == [expected]
    assert type(seen[0]) is type(expected)


def test_a_union_is_one_complaint_and_names_no_branch(fails: Call) -> None:
    def tool(to: str | list[str]) -> None: ...

    [complaint] = fails(tool, {"to": 5})["detail"]
    assert complaint == {"field": "to", "message": "should be a valid string or a valid array, not 5"}


def test_constraints_of_annotated_are_checked(fails: Call) -> None:
    def tool(size: Annotated[int, Field(ge=1, le=10)] = 1) -> None: ...

    assert "less than or equal to 10, not 11" in fails(tool, {"size": 11})["message"]


def test_names_that_pydantic_keeps_for_itself_are_free_for_a_tool(gives: Call) -> None:
    def tool(json: int, model_config: int, schema: int, _hidden: int, from_: int, f0: int = 0) -> Any:
        return [json, model_config, schema, _hidden, from_, f0]

    assert gives(tool, {"json": 1, "model_config": 2, "schema": 3, "_hidden": 4, "from": 5, "f0": 6}) == [
        1,
        2,
        3,
        4,
        5,
        6,
    ]


def test_further_fields_go_where_the_function_takes_them_and_keep_their_type(gives: Call, fails: Call) -> None:
    def tool(first: int, **rest: int) -> Any:
        return [first, rest]

    assert gives(tool, {"first": 1, "f0": 2, "a b": 3}) == [1, {"f0": 2, "a b": 3}]
    assert fails(tool, {"first": 1, "other": "x"})["detail"][0]["field"] == "other"


def test_the_context_comes_under_any_name_and_a_script_cannot_set_it(gives: Call, fails: Call) -> None:
    def tool(call: ToolContext, **rest: Any) -> Any:
        return [call.token, rest]

    assert gives(tool, {"a": 1}) == ["01hrun:7", {"a": 1}]
    assert fails(tool, {"call": 1})["detail"] == [
        {"field": "call", "message": "is filled in by Daybook and cannot be given"}
    ]


def test_lone_surrogates_and_nul_reach_a_parameter_of_any_type(gives: Call) -> None:
    def tool(value: Any, n: int) -> Any:
        return value

    for text in ("\ud800", "a\0b", "\udfff\ud800"):
        assert gives(tool, {"value": [text], "n": 1}) == [text]


def test_values_nested_too_deep_for_the_parser_are_still_taken(gives: Call) -> None:
    value: Any = 1
    for _ in range(190):
        value = [value]

    def tool(value: Any) -> Any:
        return value

    assert gives(tool, {"value": value}) == value


def test_a_mutable_default_is_not_shared_with_the_check(gives: Call) -> None:
    default: list[int] = []

    def tool(values: list[int] = default) -> bool:
        return values is default

    assert gives(tool) is True
