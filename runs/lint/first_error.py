"""Where the parser first met a token that fits nothing, and what would have fitted.

The tree of a broken source is what is left after the parser's repairs, and these may begin long before the culprit. The
parser's log names the very token, so the source is parsed once more, with the log open, up to the first refusal.
"""

import re
from typing import NamedTuple

from tree_sitter import LogType, Parser

from .syntax import LANGUAGE

# The log costs a Python call for each step of the lexer: what comes later is told by the tree alone.
LONGEST = 65_536
# The region ends at the refused token, or a little earlier.
MARGIN = 1_024
PIECE = 256
STATE = re.compile(r"process version:\d+, version_count:\d+, state:(\d+), row:(\d+), col:(\d+)")
IN_STRING = "escape_sequence"
BLANK = re.compile(rb"(?:\s|\xc2\xa0|\xe3\x80\x80|\xe2\x80[\xa8\xa9]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)


class FirstError(NamedTuple):
    """`byte` is where the refused token starts (the length of the source at its end), `expected` what might have
    stood there, in the grammar's names."""

    byte: int
    expected: frozenset[str]


def first_error(data: bytes, start: int, end: int) -> FirstError | None:
    """Looks from the statement at byte `start` on, for what the tree shows as a broken region up to byte `end`.

    None when nothing is refused, or only beyond what may be logged.
    """
    stop = min(len(data), end + MARGIN, start + LONGEST)
    seen = _Log()

    left = 2 * (stop - start + PIECE)  # it goes back at times; at comments that never end it would over and over

    def read(offset: int, point: object) -> bytes:
        # Once the place is known the source ends, so that the parser does not repair the rest for nobody.
        nonlocal left
        piece = b"" if seen.refused_at or left < 0 else data[start + offset : min(stop, start + offset + PIECE)]
        left -= len(piece)
        return piece

    Parser(LANGUAGE, logger=seen.take).parse(read)
    if seen.refused_at is None:
        return None
    state, row, column = seen.refused_at
    line_start = start
    for _ in range(row):
        line_start = data.index(b"\n", line_start) + 1
    byte = line_start + column
    lookahead = LANGUAGE.lookahead_iterator(state)
    expected = frozenset(lookahead.names()) if lookahead else frozenset()
    # The log places a refusal at the end of the token before it. In a string every blank is a part of the text.
    blank = None if IN_STRING in expected else BLANK.match(data, byte)
    byte = blank.end() if blank else byte
    # The end of a piece is refused as the end of a source is, and means nothing.
    return None if stop <= byte < len(data) else FirstError(byte, expected)


class _Log:
    """Remembers the parser's place when the last version of the parse that still stood was refused."""

    def __init__(self) -> None:
        self.refused_at: tuple[int, int, int] | None = None
        self._latest = ""
        self._refused = ""

    def take(self, kind: LogType, message: str) -> None:
        if self.refused_at is not None or kind != LogType.PARSE:
            return
        if message.startswith("process "):
            self._latest = message
        elif message.startswith("detect_error"):
            self._refused = self._latest
        elif message.startswith("resume "):
            match = STATE.match(self._refused)
            if match:
                self.refused_at = int(match[1]), int(match[2]), int(match[3])
