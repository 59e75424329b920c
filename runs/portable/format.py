"""The names and bounds of the file format, and how its elements are written."""

from typing import Any, NoReturn

import cbor2

from runs.errors import Refused

NAME = "daybook.run"
VERSION = 1
BEGIN = b"\xd9\xd9\xf7\x9f"  # tag 55799, an array of indefinite length
END = b"\xff"
SHA_BYTES = 32
ELEMENT_MAX = 16 * 1024 * 1024  # bytes of one element
RUNS_MAX = 100_000
MESSAGES_MAX = 100_000  # of one run
DEEDS_MAX = 10_000  # of one run
CAPS_OVER = 2  # results are recorded beyond the caps of a journal, but not so far


class BadFile(Refused):
    """The file is damaged, foreign, or not as we write it; nothing was written."""

    code = "bad-file"


def bad(what: str) -> NoReturn:
    raise BadFile(what)


def packed(element: Any) -> bytes:
    """Canonical: shortest forms, keys in order."""
    return cbor2.dumps(element, canonical=True)
