"""The error of a run as a person reads it."""

from dataclasses import dataclass
from typing import Any

from runs.commands.facts import help_of
from runs.reading.cutting import Shown, printable, shown

MESSAGE_MOST = 4_000
STACK_MOST = 4_000


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """`words`: the code as words; `help` is "" where the message says it already; `excerpt`: (text, is it the line).
    `call_seq` and `line` are 0 where there is none."""

    code: str
    words: str
    message: str
    help: str
    excerpt: list[tuple[str, bool]]
    line: int
    call_seq: int
    tool: str
    retryable: bool
    detail: Shown | None
    stack: str


def error_facts(error: dict[str, Any] | None) -> ErrorFacts | None:
    """Of a run's error, or of a call's; None for none."""
    if error is None:
        return None
    code, message = printable(error.get("code", "")), printable(error.get("message", ""))
    advice = help_of({"code": code}) or ""
    detail = error.get("detail")
    return ErrorFacts(
        code=code,
        words=code.replace("-", " ").capitalize(),
        message=message if len(message) <= MESSAGE_MOST else f"{message[:MESSAGE_MOST]}…",
        help=advice if advice not in message else "",
        excerpt=[(line, line.startswith(">")) for line in printable(error.get("excerpt") or "").splitlines()],
        line=error.get("line") or 0,
        call_seq=error.get("callSeq") or 0,
        tool=printable(error.get("tool") or ""),
        retryable=bool(error.get("retryable")),
        detail=None if detail is None else shown(detail),
        stack=printable(error.get("stack") or "")[:STACK_MOST],
    )
