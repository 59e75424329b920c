"""What goes into columns that people search: made to fit, whatever a script has made up."""

import re
from typing import Any

CODE_MAX = 64
_ODD = re.compile(r"[^A-Za-z0-9_.:-]")


def error_fields(error: dict[str, Any]) -> dict[str, Any]:
    """The columns of an error: the whole of it, and its code as it can be shown and searched."""
    return {"error": error, "error_code": _ODD.sub("_", str(error["code"]))[:CODE_MAX]}
