"""`manage.py listtools`: the tools that scripts can call, and the agents that they can delegate to."""

from collections.abc import Iterable, Iterator
from typing import Any

from runs.agents import all_agents
from runs.commands.base import DONE, RunCommand
from runs.tools import Tool, all_tools


class Command(RunCommand):
    help = (
        "Lists the tools and agents that scripts can use: name, parameters (? marks the optional ones), what each does."
    )
    exits = "Exit codes: 0 done; 2 bad usage."

    def act(self, options: dict[str, Any]) -> int:
        tools, agents = all_tools(), all_agents()
        if self.json:
            self.answer({"tools": [_facts(tool) for tool in tools], "agents": [_facts(agent) for agent in agents]})
        self.tell(*_lines(tools))
        self.tell("", "Agents, for ctx.delegate({agent, input}):", "", *_lines(agents))
        return DONE


def _lines(tools: Iterable[Tool]) -> Iterator[str]:
    for tool in tools:
        yield f"{tool.name} {{{', '.join(_parameters(tool))}}}"
        yield f"    {_summary(tool)}".rstrip()


def _facts(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "summary": _summary(tool), "parameters": list(_parameters(tool)), "schema": tool.schema}


def _summary(tool: Tool) -> str:
    return tool.description.partition("\n")[0]


def _parameters(tool: Tool) -> Iterator[str]:
    required = tool.schema.get("required", [])
    for name in tool.schema.get("properties", {}):
        yield name if name in required else f"{name}?"
    if tool.schema.get("additionalProperties"):
        yield "..."
