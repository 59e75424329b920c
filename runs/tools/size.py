"""How large a result is, as the bytes of its JSON text, and the error for one beyond the limit."""

import json
from typing import Any

import pydantic_core

from runs.conf import MIB, conf
from runs.tools.errors import ToolError

# No value is longer as JSON text than this many bytes for each unit of `plain.measured`: a float takes 24 and a comma,
# a character escaped as \u0000 takes 6, and an empty key with its quotes, colon, comma and value is a unit of its own.
BYTES_PER_UNIT = 30


def json_size(value: Any) -> int:
    """Bytes of the compact JSON text, in UTF-8, of a plain JSON value."""
    try:
        return len(pydantic_core.to_json(value))
    except ValueError:  # a lone surrogate, which JavaScript writes as \udXXX
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return sum(6 if "\ud800" <= char <= "\udfff" else len(char.encode()) for char in text)


def check_size(value: Any, units: int, what: str) -> None:
    """Raises `ToolError("result-too-large")`; most need no measuring, by the units of `plain.measured`."""
    limit = conf().result_max_bytes
    if units * BYTES_PER_UNIT > limit and (size := json_size(value)) > limit:
        raise too_large(what, f"{size:,}")


def too_large(what: str, size: str) -> ToolError:
    """`what` is `tool X`, or whose value it was."""
    return ToolError(
        "result-too-large",
        f"{what} returned {size} bytes; the limit is {conf().result_max_bytes:,}: "
        "return a reference (store.put, a URL) or a part of it",
    )


def hard_limit() -> int:
    """Units beyond which a value is not even converted."""
    return max(8 * MIB, 4 * conf().result_max_bytes)
