"""Any exception of a tool as the error that its script sees: `{code, message, retryable, detail}`, bounded in size."""

import os
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from django.db import InterfaceError, OperationalError

from runs.tools.errors import ToolError
from runs.tools.plain import measured
from runs.tools.size import check_size

MESSAGE_MAX = 8 * 1024  # bytes of UTF-8
_OURS = str(Path(__file__).resolve().parent.parent) + os.sep  # the folder of `runs`

_PASSING = (TimeoutError, ConnectionError, OperationalError, InterfaceError)


def failure(error: BaseException) -> dict[str, Any]:
    """The error dict; a tool's own `ToolError` keeps its code, the rest is `tool-error` or, for what is no `Exception`
    (SystemExit, GeneratorExit, a stray CancelledError), `tool-crashed`; their detail is `{exception, at}`."""
    if isinstance(error, ToolError):
        try:
            told = error.as_dict()
            return _error(told["code"], str(told["message"]), bool(told["retryable"]), _detail(told["detail"]))
        except Exception as broken:  # noqa: BLE001  (a subclass of the tool's own may do anything)
            return _error("tool-error", f"{_named(error)} (it cannot be written: {_named(broken)})")
    if not isinstance(error, Exception):
        message = f"{_named(error)}: a tool cannot end its worker; raise ToolError to fail the call"
        return _error("tool-crashed", message, detail=_origin(error))
    return _error("tool-error", _named(error), is_retryable(error), _origin(error))


def is_retryable(error: BaseException) -> bool:
    """Whether the same call may well succeed later: a time-out, a lost connection, a database that was away."""
    if isinstance(error, _PASSING):
        return True
    httpx = sys.modules.get("httpx")  # not imported, so not raised
    if httpx is None or not isinstance(error, httpx.TransportError):
        return False
    return not isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError)


def _origin(error: BaseException) -> dict[str, str | None]:
    """The exception's class, and `file:line` of the innermost frame outside of `runs`; None where there is no such."""
    at = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if not frame.f_code.co_filename.startswith(_OURS):
            at = f"{_file(frame)}:{line}"
    return {"exception": type(error).__name__, "at": at}


def _file(frame: FrameType) -> str:
    """The file as its import path has it, else its module: where things are installed is nobody's business."""
    path = Path(frame.f_code.co_filename)
    if not path.is_absolute():
        return str(path)
    roots = [Path(entry) for entry in sys.path if entry and path.is_relative_to(entry)]
    if roots:
        return path.relative_to(max(roots, key=lambda root: len(root.parts))).as_posix()
    return str(frame.f_globals.get("__name__", path.name))


def _error(code: str, message: str, retryable: bool = False, detail: Any = None) -> dict[str, Any]:
    return {"code": code, "message": cut(message), "retryable": retryable, "detail": detail}


def cut(text: str) -> str:
    """At most 8 KiB of `text`, with a mark that says how long it was."""
    if len(text) <= MESSAGE_MAX // 4:
        return text
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= MESSAGE_MAX:
        return text
    end = MESSAGE_MAX
    while data[end] & 0b1100_0000 == 0b1000_0000:  # inside a character
        end -= 1
    return f"{data[:end].decode('utf-8', 'surrogatepass')} [cut: {len(data):,} bytes in all]"


def _named(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  (the text is a courtesy, the failure must still be told)
        text = "(its text cannot be read)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _detail(detail: Any) -> Any:
    try:
        value, units = measured(detail, "detail")
        check_size(value, units, "the error's detail")
    except ToolError as error:
        return f"[detail left out: {error.message}]"
    except Exception as error:  # noqa: BLE001  (the detail's own methods ran)
        return f"[detail left out: {_named(error)}]"
    return value
