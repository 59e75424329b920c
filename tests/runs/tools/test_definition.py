from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from runs.tools import ToolContext, ToolDefinitionError, define


def plain(n: int, label: str = "x") -> int:
    """Counts.

    In two lines.
    """
    return n


async def slow(n: int) -> int:
    return n


def test_a_tool_keeps_docstring_and_schema_for_authors() -> None:
    tool = define("plain", plain, transactional=True, timeout_ms=50)
    assert (tool.name, tool.transactional, tool.timeout_ms, tool.is_async) == ("plain", True, 50, False)
    assert tool.description == "Counts.\n\nIn two lines."
    assert tool.schema == {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "label": {"type": "string", "default": "x"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    assert "test_definition" in tool.where
    assert f":{plain.__code__.co_firstlineno})" in tool.where


def test_an_async_function_is_known_as_one() -> None:
    assert define("slow", slow).is_async


def test_a_context_is_no_part_of_the_schema() -> None:
    def tool(n: int, whatever: ToolContext, maybe: ToolContext | None = None) -> None: ...

    assert define("tool", tool).schema["properties"].keys() == {"n"}


@pytest.mark.parametrize("name", ["", "Upper", "1st", "a b", "a/b", ".a", "ä", "a\n", "a" * 101, None])
def test_a_bad_name_is_refused(name: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="lower-case letter"):
        define(name, plain)


@pytest.mark.parametrize("name", ["a", "http.request", "a_b-c.d2"])
def test_a_good_name_is_taken(name: str) -> None:
    assert define(name, plain).name == name


def test_functions_that_cannot_be_called_with_one_object_are_refused() -> None:
    def stars(*values: int) -> None: ...

    def by_position(value: int, /) -> None: ...

    for function in (stars, by_position):
        with pytest.raises(ToolDefinitionError, match="by name"):
            define("tool", function)


def test_generators_and_things_that_are_no_function_are_refused() -> None:
    def many() -> Iterator[int]:
        yield 1

    async def many_later() -> AsyncIterator[int]:
        yield 1

    for function in (many, many_later):
        with pytest.raises(ToolDefinitionError, match="return a list"):
            define("tool", function)
    with pytest.raises(ToolDefinitionError, match="on a function"):
        define("tool", int)


def test_a_type_that_json_cannot_fill_is_refused_at_import() -> None:
    class Socket: ...

    def tool(socket: Socket) -> None: ...

    with pytest.raises(ToolDefinitionError, match="JSON cannot fill"):
        define("tool", tool)


def test_an_annotation_that_does_not_resolve_is_refused_with_the_reason() -> None:
    def tool(n: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ToolDefinitionError, match=r"Nowhere.*TYPE_CHECKING"):
        define("tool", tool)


@pytest.mark.parametrize("timeout", [0, -1, 1.5, True, "5"])
def test_a_timeout_is_a_positive_whole_number(timeout: Any) -> None:
    with pytest.raises(ToolDefinitionError, match="timeout_ms"):
        define("tool", plain, timeout_ms=timeout)
