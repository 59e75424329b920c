"""The source of a script by line, for reading: coloured, the calls that each line has made, the lines that matter."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Parser, Query, QueryCursor

from journal import codec
from journal.entries import Kind
from journal.models import RunJournal
from runs.lint.source import LINE_END, Source
from runs.lint.syntax import LANGUAGE
from runs.reading.cutting import printable

COLOURED_MOST = 65_536  # characters of a script that is coloured: a larger one would be a page of mostly markup
WIDEST = 1_000
CHIPS = 3  # calls of a line that are linked one by one: the newest, the others counted

_COLOURS = Query(
    LANGUAGE,
    """
    (comment) @comment
    [(string) (template_string) (regex)] @string
    [(number) (true) (false) (null) (undefined)] @value
    ["as" "async" "await" "break" "case" "catch" "class" "const" "continue" "debugger" "default" "delete" "do" "else"
     "export" "extends" "finally" "for" "from" "function" "if" "import" "in" "instanceof" "let" "new" "of" "return"
     "static" "switch" "throw" "try" "typeof" "var" "void" "while" "with" "yield"] @keyword
    """,
)


@dataclass(frozen=True, slots=True)
class Line:
    """`pieces`: (colour, text), the colour "" for plain text; `cut`: characters of the line where it is cut, else 0.
    `calls`: the newest ones, `more` how many others; `parked`: the calls that it waits at now."""

    number: int
    pieces: list[tuple[str, str]]
    cut: int = 0
    failing: bool = False
    parked: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    more: int = 0


def calls_by_line(run_id: str) -> dict[int, list[int]]:
    """The callSeqs that each line has made, newest last, without those that an attempt has left behind. One query."""
    rows = RunJournal.objects.filter(
        run_id=run_id, kind__in=(Kind.CALL, Kind.TIMER, Kind.WAIT), superseded_by=None, call_seq__gt=0
    )
    found: dict[int, list[int]] = {}
    for call_seq, data in rows.order_by("seq").values_list("call_seq", "entry").iterator(chunk_size=1000):
        if line := codec.decode(data).get("line"):
            found.setdefault(line, []).append(call_seq)
    return found


def lines(
    text: str,
    *,
    failing: int = 0,
    parked: Iterable[tuple[int, int]] = (),
    calls: Mapping[int, list[int]] | None = None,
) -> list[Line]:
    """Every line of the script. `parked`: (line, callSeq) of what is waited for now."""
    waiting: dict[int, list[int]] = {}
    for number, call_seq in parked:
        waiting.setdefault(number, []).append(call_seq)
    made = []
    for number, pieces in enumerate(_pieces(text), 1):
        mine = (calls or {}).get(number, [])
        shown, cut = _cut(pieces)
        made.append(
            Line(
                number,
                shown,
                cut,
                failing=number == failing,
                parked=waiting.get(number, []),
                calls=mine[-CHIPS:],
                more=max(0, len(mine) - CHIPS),
            )
        )
    return made


def _cut(pieces: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    width = sum(len(text) for _, text in pieces)
    if width <= WIDEST:
        return pieces, 0
    kept: list[tuple[str, str]] = []
    room = WIDEST
    for colour, text in pieces:
        kept.append((colour, text[:room]))
        room -= len(text)
        if room <= 0:
            break
    return kept, width


def _pieces(text: str) -> list[list[tuple[str, str]]]:
    """Each line as coloured pieces, one after the other."""
    found: list[list[tuple[str, str]]] = [[]]
    for colour, piece in _coloured(text) if len(text) <= COLOURED_MOST else [("", text)]:
        first, *others = LINE_END.split(printable(piece))
        if first:
            found[-1].append((colour, first))
        found += [[(colour, other)] if other else [] for other in others]
    return found


def _coloured(text: str) -> Iterable[tuple[str, str]]:
    source = Source(text)
    captures: dict[str, list[Any]] = QueryCursor(_COLOURS).captures(Parser(LANGUAGE).parse(source.data).root_node)
    spans = sorted((node.start_byte, -node.end_byte, colour) for colour, nodes in captures.items() for node in nodes)
    at = 0
    for start, end, colour in spans:
        if start < at:
            continue  # within a piece that has its colour, such as a number in a template
        if start > at:
            yield "", source.slice(at, start)
        yield colour, source.slice(start, -end)
        at = -end
    yield "", source.slice(at, len(source.data))
