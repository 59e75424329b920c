"""What goes into columns that people search: made to fit, whatever a script has made up."""

import re
from typing import Any

from runs.codes import Code
from runs.health.signs import Sign, shown

CODE_MAX = 64
TOOL_MAX = 80
_ODD = re.compile(r"[^A-Za-z0-9_.:-]")
NO_ERROR: dict[str, Any] = {"error": None, "error_code": "", "failed_tool": None}


def error_fields(error: dict[str, Any]) -> dict[str, Any]:
    """The columns of an error: the whole of it; its code, and the tool it came from, as they are shown and searched."""
    code, tool = fitting(error["code"], CODE_MAX), error.get("tool")
    fields = {"error": error, "error_code": code, "failed_tool": fitting(tool, TOOL_MAX) if tool else None}
    return fields | (shown(Sign.DIVERGED) if code == Code.REPLAY_DIVERGED else {})


def fitting(text: Any, most: int) -> str:
    """As much of the text as the column holds, odd characters replaced."""
    return _ODD.sub("_", str(text))[:most]
