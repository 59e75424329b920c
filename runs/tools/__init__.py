"""What a script can call: the registry of tools, the machinery that runs one call, and the built-in tools.

An app offers tools in its `tools.py`:

    from runs.tools import ToolContext, ToolError, tool

    @tool("invoice.send")
    def send(number: str, context: ToolContext, copy_to: list[str] = []) -> dict[str, str]:
        "Sends the invoice of that number to its customer."

A script calls it with one object, `await ctx.call('invoice.send', {number: '2024-17'})`. The object's fields carry
exactly the parameters' names, whatever the habits of JavaScript; only a name that is a keyword in Python is written
there with a trailing underscore (the parameter `from_` takes the field `from`).
"""

from runs.tools import echo, http, mail, store  # noqa: F401  (importing them registers the built-ins)
from runs.tools.context import ToolContext
from runs.tools.definition import Tool, define
from runs.tools.errors import ToolDefinitionError, ToolError
from runs.tools.execution import Outcome, execute
from runs.tools.plain import to_json
from runs.tools.registry import all_tools, find, registered, tool
from runs.tools.size import json_size

__all__ = [
    "Outcome",
    "Tool",
    "ToolContext",
    "ToolDefinitionError",
    "ToolError",
    "all_tools",
    "define",
    "execute",
    "find",
    "json_size",
    "registered",
    "to_json",
    "tool",
]
