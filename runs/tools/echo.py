"""The tool `echo`: gives back what it is given."""

from typing import Any

from runs.tools.registry import tool


@tool("echo")
def echo(**fields: Any) -> Any:
    """Returns the object it is given; `{v: ...}`, with no other field, returns just the value of `v`."""
    return fields["v"] if fields.keys() == {"v"} else fields
