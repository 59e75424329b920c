"""What can go wrong with a tool.

ToolError             one call failed; the script sees it and may catch it
ToolDefinitionError   the tool itself is wrong; raised while its module is imported
"""

import re
from typing import Any

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,63}")


class ToolError(Exception):
    """Raise this in a tool to fail the call with a code that scripts can rely on.

    `code` is what a script compares (`error.code === 'card-declined'`): lower-case words joined by hyphens, never
    changed once published. `message` is for people: what happened and what to do about it. `retryable` says that the
    same call may succeed later, so that `retry: {maxAttempts}` of `ctx.call` tries again. `detail` is any JSON value;
    the script gets it as `error.detail`. A message beyond 8 KiB is cut, a detail beyond the result limit is replaced by
    a note.
    """

    def __init__(self, code: str, message: str, *, retryable: bool = False, detail: Any = None) -> None:
        if not isinstance(code, str) or not _CODE.fullmatch(code):
            raise ValueError(f"ToolError's code is a short word such as 'card-declined', not {code!r:.100}")
        super().__init__(code, message)
        self.code = code
        self.message = str(message)
        self.retryable = bool(retryable)
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def as_dict(self) -> dict[str, Any]:
        """`{code, message, retryable, detail}`; all four are always there, `detail` is None where there is none."""
        return {"code": self.code, "message": self.message, "retryable": self.retryable, "detail": self.detail}


class ToolDefinitionError(Exception):
    """A tool cannot be registered as it is written; the message names the tool, its place and the change to make."""

    def __init__(self, name: object, where: str, problem: str) -> None:
        super().__init__(f"tool {name!r} at {where}: {problem}")
