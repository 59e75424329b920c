"""`manage.py listtools`: the tools that scripts can call."""

from collections.abc import Iterator
from typing import Any

from runs.commands.base import DONE, RunCommand
from runs.tools import Tool, all_tools


class Command(RunCommand):
    help = "Lists the tools that scripts can call: name, parameters (? marks the optional ones), what each does."
    exits = "Exit codes: 0 done; 2 bad usage."

    def act(self, options: dict[str, Any]) -> int:
        tools = all_tools()
        if self.json:
            self.answer({"tools": [_facts(tool) for tool in tools]})
        for tool in tools:
            self.tell(f"{tool.name} {{{', '.join(_parameters(tool))}}}", f"    {_summary(tool)}".rstrip())
        return DONE


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
