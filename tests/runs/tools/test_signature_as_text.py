"""The same as `test_signature`, for a module whose annotations are text (PEP 563)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from runs.tools import find, registered, tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from runs.tools import ToolContext


class Item(BaseModel):
    name: str


def ship(item: Item, context: ToolContext, count: int | None = None, **more: Item) -> Any:
    return [type(item).__name__, context.call_seq, count, {key: value.name for key, value in more.items()}]


def test_annotations_written_as_text_are_resolved(gives: Callable[..., Any], fails: Callable[..., Any]) -> None:
    assert gives(ship, {"item": {"name": "a"}, "b": {"name": "b"}}) == ["Item", 7, None, {"b": "b"}]
    assert fails(ship, {"item": {"name": 5}})["detail"][0]["field"] == "item.name"


def test_what_a_function_returns_need_not_resolve(gives: Callable[..., Any]) -> None:
    def of_nowhere(n: int) -> Nowhere:  # type: ignore[name-defined]  # noqa: F821
        return n

    assert gives(of_nowhere, {"n": 1}) == 1


def test_types_of_the_place_where_the_decorator_stands_are_found(gives: Callable[..., Any]) -> None:
    class Local(BaseModel):
        n: int

    with registered():

        @tool("local")
        def local(value: Local) -> int:
            return value.n

        assert find("local").schema["properties"].keys() == {"value"}
        assert gives("local", {"value": {"n": 4}}) == 4
