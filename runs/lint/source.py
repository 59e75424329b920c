"""The text of a script, and where in it a byte of its UTF-8 form stands for a reader."""

import re
from bisect import bisect_right

# As editors count. The engine does too, but for a few carriage returns in comments.
LINE_END = re.compile("\r\n|\n|\r")
# A byte order mark is a blank to the language, but not everywhere to the parser. This one is as long, and is to both.
BOM, BLANK = "\ufeff", "\u3000"
# What the engine cannot be given at all: its binding refuses NUL, and UTF-8 has no form for half a surrogate pair.
UNPARSABLE = re.compile("[\0\ud800-\udfff]")


class Source:
    """`data` is what is parsed: the text in UTF-8, each unparsable character replaced by a space."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = UNPARSABLE.sub(" ", text).replace(BOM, BLANK).encode()
        self._mark = len(BOM.encode()) if text.startswith(BOM) else 0
        self._line_starts = [0, *(match.end() for match in re.finditer(LINE_END.pattern.encode(), self.data))]

    def position(self, byte: int) -> tuple[int, int]:
        """Line and column, both 1-based, of the character that starts at `byte`."""
        line = bisect_right(self._line_starts, byte)
        before = self.data[self._line_starts[line - 1] or self._mark : byte]
        return line, len(before.decode(errors="replace")) + 1

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.data[start:end].decode(errors="replace")
