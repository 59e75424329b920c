"""What commands are given: a script from a file or standard input, a JSON value, a number of seconds."""

import math
import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any, BinaryIO

from runs import json_text
from runs.codes import Code
from runs.conf import conf
from runs.errors import BadInput, BadSource

STDIN = "-"
_SHORT = 4096  # bytes
_JSON_ROOM = 16  # JSON text may have this many times the bytes that the value may have in storage


def script(name: str) -> str:
    """The text of the script in file `name`; `-` is standard input. Raises `BadInput` or `BadSource`."""
    most = conf().source_max_bytes
    data = _read(name, "the script", most)
    if len(data) > most:
        code = Code.SOURCE_TOO_LARGE
        raise BadSource(f"{name}: the script has more than {most} bytes, which is the limit. {code.help}", code=code)
    return _text(data, name)


def json_value(given: str | None, option: str = "--input") -> Any:
    """The value of an option: JSON, or `@FILE` (`@-` for standard input). None where it is not given."""
    if given is None:
        return None
    name = option
    if given.startswith("@"):
        name = given[1:]
        most = conf().result_max_bytes * _JSON_ROOM
        data = _read(name, f"{option[2:]}", most)
        if len(data) > most:
            raise BadInput(
                f"{name}: the input has more than {most} bytes; keep large data outside and pass a reference"
            )
        given = _text(data, name)
    elif any("\ud800" <= character <= "\udfff" for character in given):
        raise BadInput(f"{name} is not UTF-8")
    try:
        return json_text.parse(given, name)
    except json_text.NotJson as refused:
        raise BadInput(f"{refused}{_hint(given, name) if refused.where else ''}") from None


def short_text(name: str, what: str) -> str:
    """The text of the file `name`, which has a few lines; `-` is standard input. Raises `BadInput`."""
    data = _read(name, what, _SHORT)
    if len(data) > _SHORT:
        raise BadInput(f"{name} has more than {_SHORT} bytes, which {what} has not")
    return _text(data, name)


def seconds(text: str) -> float:
    """An argument's seconds, finite and not negative."""
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"takes seconds, not {text!r}") from None
    if not 0 <= value < math.inf:
        raise ArgumentTypeError(f"takes a finite number of seconds of at least 0, not {text}")
    return value


def whole_number(text: str) -> int:
    """An argument's number of things, at least one."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ArgumentTypeError(f"takes a whole number of at least 1, not {text!r}")
    return int(text)


def _read(name: str, what: str, most: int) -> bytes:
    """One byte more than `most`, if there is so much."""
    if name == STDIN:
        return sys.stdin.buffer.read(most + 1)
    try:
        path = Path(name)
        if path.is_dir():
            raise BadInput(f"{name} is a directory; name the file of {what}")
        with path.open("rb") as file:
            return _read_from(file, most)
    except FileNotFoundError:
        raise BadInput(f"there is no file {name!r}; name the file of {what}, or - for standard input") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadInput(f"{name} cannot be read: {reason}") from None


def _read_from(file: BinaryIO, most: int) -> bytes:
    return file.read(most + 1)


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{name} is not UTF-8: line {line} has the byte 0x{data[error.start]:02x}") from None


def _hint(given: str, name: str) -> str:
    looks_like_file = name.startswith("--") and (given.endswith(".json") or "/" in given)
    return f" (for a file, write @{given})" if looks_like_file else ""
