"""One tool: a Python function with a name, the schema of what it takes, and how it wants to be run."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runs.tools.errors import ToolDefinitionError
from runs.tools.signature import Signature, SignatureError, read_signature

NAME_MAX = 100
_NAME = re.compile(r"[a-z][a-z0-9_.-]*")


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """`schema` is the JSON Schema of the input object, `description` the docstring; both are for authors of scripts.

    `timeout_ms` None means the setting `tool_timeout_ms`. An `is_async` tool is timed out inside `execute`, any other
    by the host from outside. A `transactional` one runs in the transaction that writes its result.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    transactional: bool
    timeout_ms: int | None
    is_async: bool
    description: str = field(repr=False)
    schema: dict[str, Any] = field(repr=False)
    signature: Signature = field(repr=False)
    where: str


def define(
    name: str,
    function: Callable[..., Any],
    *,
    transactional: bool = False,
    timeout_ms: int | None = None,
    names: Mapping[str, Any] | None = None,
) -> Tool:
    """A `Tool` of a typed function, not registered; raises `ToolDefinitionError`.

    `names` is where annotations written as text are looked up beside the function's module.
    """
    where = place(function)
    if not isinstance(name, str) or not _NAME.fullmatch(name) or len(name) > NAME_MAX:
        raise ToolDefinitionError(
            name,
            where,
            f"a name is a lower-case letter, then letters, digits, '_', '.' or '-', up to {NAME_MAX} in all",
        )
    if problem := _unsuitable(function) or _bad_timeout(timeout_ms):
        raise ToolDefinitionError(name, where, problem)
    try:
        signature = read_signature(name, function, names or {})
    except SignatureError as error:
        raise ToolDefinitionError(name, where, str(error)) from error
    return Tool(
        name=name,
        function=function,
        transactional=transactional,
        timeout_ms=timeout_ms,
        is_async=inspect.iscoroutinefunction(inspect.unwrap(function)),
        description=inspect.getdoc(function) or "",
        schema=signature.schema(),
        signature=signature,
        where=where,
    )


def place(function: Any) -> str:
    """`module.qualname (file:line)`, as far as the object knows."""
    called = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', repr(function))}"
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return f"{called} ({code.co_filename}:{code.co_firstlineno})" if code else called


def _unsuitable(function: Any) -> str | None:
    if not inspect.isfunction(function):
        return "put @tool on a function (def or async def); for a method, write a function that calls it"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "a generator has no single result; collect what it yields and return a list"
    return None


def _bad_timeout(timeout_ms: Any) -> str | None:
    if timeout_ms is None or (type(timeout_ms) is int and timeout_ms > 0):
        return None
    return f"timeout_ms is a whole number of milliseconds above 0, or None, not {timeout_ms!r}"
