"""All agents by name. An agent is defined as a tool is; what differs is that it runs as a run and not inside a call."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from runs.codes import Code
from runs.tools.complaints import near
from runs.tools.context import ToolContext as AgentContext
from runs.tools.definition import Tool, define, place
from runs.tools.errors import ToolDefinitionError, ToolError

F = TypeVar("F", bound=Callable[..., Any])
_agents: dict[str, Tool] = {}

__all__ = ["AgentContext", "agent", "all_agents", "find_agent", "registered_agents"]


def agent(name: str) -> Callable[[F], F]:
    """Offers a typed function, `def` or `async def`, to `ctx.delegate({agent: name, input})`."""

    def offer(function: F) -> F:
        defined = define(name, function, transactional=False, timeout_ms=None)
        known = _agents.get(name)
        if known is not None and known.where != defined.where:
            raise ToolDefinitionError(name, place(function), f"the name is taken by {known.where}")
        _agents[name] = defined
        return function

    return offer


def find_agent(name: str) -> Tool:
    """The agent of that name; raises `ToolError("unknown-agent")` that offers the nearest names."""
    if found := _agents.get(name):
        return found
    close = near(name, _agents)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are: {', '.join(sorted(_agents)) or 'none'}"
    raise ToolError(Code.UNKNOWN_AGENT.value, f"there is no agent '{name:.100}'; {hint}", detail=close or None)


def all_agents() -> list[Tool]:
    return sorted(_agents.values(), key=lambda known: known.name)


@contextmanager
def registered_agents(**added: Callable[..., Any]) -> Iterator[None]:
    """For tests: agents by name for the length of a `with`."""
    before = dict(_agents)
    try:
        for name, function in added.items():
            _agents[name] = define(name, function, transactional=False, timeout_ms=None)
        yield
    finally:
        _agents.clear()
        _agents.update(before)
