"""The difference of two sources, line by line, as a page shows it."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

CONTEXT = 3
MOST = 2_000  # lines that are compared one by one; more are shown as taken out and put in
SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class Line:
    """`sign`: "+" put in, "-" taken out, " " the same, "@" where lines are left out. `old`, `new`: line numbers."""

    sign: str
    text: str
    old: int | None = None
    new: int | None = None


def diff(old: str, new: str) -> list[Line]:
    """The changed lines with three around them, at most `SHOWN`; empty where the sources are the same."""
    a, b = old.splitlines(), new.splitlines()
    if a == b:
        return []
    head = _same(a, b)
    tail = min(_same(a[::-1], b[::-1]), len(a) - head, len(b) - head)
    start = max(0, head - CONTEXT)
    stop_a, stop_b = len(a) - max(0, tail - CONTEXT), len(b) - max(0, tail - CONTEXT)
    lines = list(_lines(a[start:stop_a], b[start:stop_b], start))
    return lines[:SHOWN] + ([Line("@", f"{len(lines) - SHOWN} more lines")] if len(lines) > SHOWN else [])


def _same(a: Sequence[str], b: Sequence[str]) -> int:
    """How many lines both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _lines(a: Sequence[str], b: Sequence[str], start: int) -> Iterator[Line]:
    for number, group in enumerate(_groups(a, b)):
        if number:
            yield Line("@", "")
        for tag, a0, a1, b0, b1 in group:
            if tag == "equal":
                yield from (Line(" ", a[a0 + i], start + a0 + i + 1, start + b0 + i + 1) for i in range(a1 - a0))
                continue
            yield from (Line("-", a[i], old=start + i + 1) for i in range(a0, a1))
            yield from (Line("+", b[i], new=start + i + 1) for i in range(b0, b1))


def _groups(a: Sequence[str], b: Sequence[str]) -> Iterator[list[tuple[str, int, int, int, int]]]:
    if max(len(a), len(b)) > MOST:
        return iter([[("replace", 0, len(a), 0, len(b))]])
    groups = difflib.SequenceMatcher(None, a, b).get_grouped_opcodes(CONTEXT)
    return ([(str(tag), a0, a1, b0, b1) for tag, a0, a1, b0, b1 in group] for group in groups)
