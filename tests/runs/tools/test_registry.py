import importlib
from typing import Any

import pytest

from runs.tools import ToolDefinitionError, ToolError, all_tools, define, find, registered, tool


def test_the_built_in_tools_are_there() -> None:
    names = [known.name for known in all_tools()]
    assert names == sorted(names)
    assert {"echo", "http.request", "mail.send", "store.delete", "store.get", "store.put"} <= set(names)


def test_every_built_in_tool_tells_authors_what_it_does() -> None:
    for known in all_tools():
        if known.where.startswith("runs.tools."):
            assert len(known.description) > 40, known.name
            assert known.schema["type"] == "object"


def test_the_decorated_function_stays_a_function() -> None:
    with registered():

        @tool("half")
        def half(n: float) -> float:
            return n / 2

        assert half(3) == 1.5
        assert find("half").function is half


@pytest.mark.parametrize(
    ("asked", "offered"), [("ecko", "echo"), ("httpRequest", "http.request"), ("store.putt", "store.put")]
)
def test_an_unknown_tool_is_refused_with_near_names(asked: str, offered: str) -> None:
    with pytest.raises(ToolError) as caught:
        find(asked)
    assert caught.value.code == "unknown-tool"
    assert f"did you mean {offered}" in caught.value.message
    assert offered in caught.value.detail


@pytest.mark.parametrize("asked", ["zzzzzzzz", "", None, 5, ["no", "name"]])
def test_an_unknown_tool_without_near_names_lists_what_there_is(asked: Any) -> None:
    with pytest.raises(ToolError, match=r"there are: .*echo"):
        find(asked)


def test_two_functions_under_one_name_are_refused_with_both_places() -> None:
    with registered():

        @tool("twin")
        def first() -> None: ...

        with pytest.raises(ToolDefinitionError) as caught:

            @tool("twin")
            def second() -> None: ...

        assert find("twin").function is first
    line = first.__code__.co_firstlineno
    assert ".first (" in str(caught.value)
    assert ".second (" in str(caught.value)
    assert f"test_registry.py:{line})" in str(caught.value)
    assert f"test_registry.py:{line + 5})" in str(caught.value)


def test_a_module_that_is_loaded_again_is_no_clash() -> None:
    from runs.tools import echo

    with registered():
        importlib.reload(echo)
        assert find("echo").function is echo.echo


def test_two_functions_made_by_one_place_are_two() -> None:
    def make() -> None:
        @tool("made")
        def made() -> None: ...

    with registered():
        make()
        with pytest.raises(ToolDefinitionError, match="the name is taken by"):
            make()


def test_the_decorator_without_a_name_says_how_to_write_it() -> None:
    with pytest.raises(ToolDefinitionError, match="write @tool"):

        @tool  # type: ignore[arg-type]
        def bare() -> None: ...


def test_temporary_tools_are_gone_afterwards_and_covered_ones_are_back() -> None:
    def mine(n: int) -> int:
        return n

    real = find("echo")
    with registered(define("one", mine, transactional=True), {"two": mine, "echo": mine}):
        assert find("one").transactional
        assert find("two").function is find("echo").function is mine
    assert find("echo") is real
    for name in ("one", "two"):
        with pytest.raises(ToolError):
            find(name)
    with pytest.raises(RuntimeError), registered({"one": mine}):
        raise RuntimeError
    with pytest.raises(ToolError):
        find("one")
