"""What scripts can use, as JSON values: a tool or an agent with its parameters, for commands and the API."""

from collections.abc import Iterator
from typing import Any

from runs.tools import Tool


def offer(tool: Tool) -> dict[str, Any]:
    """name, summary (the first line of the description), parameters (`?` marks the optional ones), and the JSON Schema
    of the input object."""
    return {"name": tool.name, "summary": summary(tool), "parameters": list(parameters(tool)), "schema": tool.schema}


def summary(tool: Tool) -> str:
    return tool.description.partition("\n")[0]


def parameters(tool: Tool) -> Iterator[str]:
    """Their names as people read them; "..." stands for any other."""
    required = tool.schema.get("required", [])
    for name in tool.schema.get("properties", {}):
        yield name if name in required else f"{name}?"
    if tool.schema.get("additionalProperties"):
        yield "..."
