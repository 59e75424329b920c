"""The error of a failed run: a stable code, a message that says what to do, the line, and the call it came from."""

import re
from typing import Any

from runs.codes import Code
from runs.lint.excerpt import excerpt
from runs.realm import ScriptFault, Told
from runs.realm.frames import first_line


def run_error(code: str, message: str, source: str, line: int = 0, **more: Any) -> dict[str, Any]:
    """code, message, line (0: none), excerpt, stack, tool, callSeq, retryable, detail; all are always there. One that
    came from a child has childRunId too."""
    error = {"code": str(code), "message": message, "line": line, "excerpt": excerpt(source, line) if line else ""}
    return error | {"stack": "", "tool": None, "callSeq": None, "retryable": False, "detail": None} | more


def failure(code: str, message: str, *, retryable: bool = False, detail: Any = None) -> dict[str, Any]:
    """The error of a failed call: code, message, retryable, detail."""
    return {"code": str(code), "message": message, "retryable": retryable, "detail": detail}


_ENGINE = {
    ("InternalError", "interrupted"): Code.FUEL_EXHAUSTED,
    ("InternalError", "out of memory"): Code.OUT_OF_MEMORY,
    ("InternalError", "string too long"): Code.OUT_OF_MEMORY,
    ("RangeError", "Maximum call stack size exceeded"): Code.STACK_OVERFLOW,
}

# An engine that has no memory left for an error throws null; a script that throws null itself says so in its source.
# Bounded, since a script is up to 256 KiB of anything: an open `\s*` is quadratic, and holds the interpreter lock.
_THROWS_NULL = re.compile(r"throw\s{0,40}\(?\s{0,40}['\"`]?null|reject\w{0,40}\s{0,40}\(\s{0,40}['\"`]?null")


def _code(told: Told, source: str) -> Code:
    if (told.name, told.message) == ("", "null") and not _THROWS_NULL.search(source):
        return Code.OUT_OF_MEMORY
    return _ENGINE.get((told.name, told.message), Code.WORKFLOW_ERROR)


def fault_of(fault: ScriptFault, source: str) -> dict[str, Any]:
    """The error of a run whose script does not load."""
    code = Code.LINT if fault.name == "SyntaxError" else _ENGINE.get((fault.name, fault.message), Code.WORKFLOW_ERROR)
    return run_error(code, str(fault), source, fault.line)


def error_of(told: Told, source: str) -> dict[str, Any]:
    """The error of a run whose main function threw `told`."""
    line = first_line(told.stack)
    if told.action is None:
        code = _code(told, source)
        message = f"{told.name}: {told.message}" if told.name else f"the script threw {told.message}"
        if code is Code.OUT_OF_MEMORY:
            message = f"out of memory. {code.help}"
        elif code is not Code.WORKFLOW_ERROR:
            message = f"{told.message}. {code.help}"
        return run_error(code, message, source, line, stack=told.stack)
    action = told.action
    facts = {"stack": told.stack, "tool": action["tool"], "callSeq": action["callSeq"], "detail": action["detail"]}
    if action["childRunId"] is not None:
        facts["childRunId"] = action["childRunId"]
    if told.direct:
        message, code = action["message"], action["code"]
        return run_error(code, message, source, action["line"] or line, retryable=action["retryable"], **facts)
    message = f"{told.name}: {told.message} (caused by {action['code']}: {action['message']})"
    return run_error(Code.WORKFLOW_ERROR, message, source, line or action["line"], **facts)
