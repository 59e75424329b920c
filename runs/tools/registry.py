"""All tools by name: the decorator that adds one, and the look-up that a call starts with."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from runs.tools.complaints import near
from runs.tools.definition import Tool, define, place
from runs.tools.errors import ToolDefinitionError, ToolError

F = TypeVar("F", bound=Callable[..., Any])

_tools: dict[str, Tool] = {}


def tool(name: str, *, transactional: bool = False, timeout_ms: int | None = None) -> Callable[[F], F]:
    """Offers a typed function, `def` or `async def`, to scripts under `name`; the function itself stays as it is.

    Names are lower case: `[a-z][a-z0-9_.-]*`. Input is checked against the signature; `*args` and positional-only
    parameters are refused, `**kwargs` takes any further field. `transactional=True` runs the tool in the transaction
    that writes its result, so that what it does to this database happens exactly once. `timeout_ms` shortens or extends
    the setting `tool_timeout_ms`. Raises `ToolDefinitionError` at import.
    """
    if callable(name):
        raise ToolDefinitionError(getattr(name, "__name__", "?"), place(name), "write @tool('its-name')")

    def offer(function: F) -> F:
        caller = inspect.currentframe()
        names = caller.f_back.f_locals if caller and caller.f_back else {}
        _add(define(name, function, transactional=transactional, timeout_ms=timeout_ms, names=names))
        return function

    return offer


def find(name: str) -> Tool:
    """The tool of that name; raises `ToolError("unknown-tool")` that offers the nearest names."""
    try:
        return _tools[name]
    except (KeyError, TypeError):
        pass
    if found := near(str(name), _tools):
        hint = f"did you mean {' or '.join(found)}?"
    else:
        hint = f"there are: {', '.join(sorted(_tools))}"
    raise ToolError("unknown-tool", f"there is no tool '{name!s:.100}'; {hint}", detail=found or None)


def all_tools() -> list[Tool]:
    """Every registered tool, by name."""
    return sorted(_tools.values(), key=lambda known: known.name)


@contextmanager
def registered(*added: Tool | Mapping[str, Callable[..., Any]]) -> Iterator[None]:
    """For tests: adds tools, or functions by name, for the length of a `with`; one of the same name is covered.

    What `@tool` adds inside the block is forgotten at its end too.
    """
    before = dict(_tools)
    try:
        for item in added:
            tools = [item] if isinstance(item, Tool) else [define(name, function) for name, function in item.items()]
            _tools.update({one.name: one for one in tools})
        yield
    finally:
        _tools.clear()
        _tools.update(before)


def _add(new: Tool) -> None:
    old = _tools.get(new.name)
    if old is not None and not _same(old.function, new.function):
        raise ToolDefinitionError(
            new.name, new.where, f"the name is taken by {old.where}; give one of them another name"
        )
    _tools[new.name] = new


def _same(old: Callable[..., Any], new: Callable[..., Any]) -> bool:
    """Also true of a function of a module that is loaded again; not of two that one function has made."""
    codes = [inspect.unwrap(function).__code__ for function in (old, new)]
    places = {(code.co_filename, code.co_firstlineno) for code in codes}
    return old is new or (len(places) == 1 and "<locals>" not in new.__qualname__)
