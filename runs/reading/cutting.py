"""Values cut for display: written only as far as they are shown, so that a huge one costs no more than a page."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from journal import codec

MOST = 20_000  # characters of one value where it is opened
FIELD_MOST = 2_000  # characters of one value within a row


@dataclass(frozen=True, slots=True)
class Shown:
    """`text`: JSON as a person reads it, or its beginning. `size`: bytes of the whole where it was cut, else None."""

    text: str
    size: int | None = None


def shown(value: Any, most: int = MOST) -> Shown:
    """A JSON value in at most `most` characters, indented."""
    text = written(value, most, indent=2)
    return Shown(printable(text)) if len(text) <= most else Shown(printable(text[:most]), size_of(value))


def written(value: Any, most: int, indent: int | None = None) -> str:
    """The JSON of a value; one that is longer than `most` characters is broken off somewhere behind them."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, most, indent):
        pieces.append(piece)
        length += len(piece)
        if length > most:
            break
    return "".join(pieces)


def printable(text: Any) -> str:
    """The text with what JavaScript strings may hold and no page can written as an escape: lone surrogates, which are
    no UTF-8, and NUL, which browsers drop."""
    return str(text).replace("\0", "\\u0000").encode("utf-8", "backslashreplace").decode()


def size_of(value: Any) -> int:
    """Bytes of a JSON value as it is stored; of a text its own."""
    return len(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else len(codec.encode(value))


def cut_fields(body: dict[str, Any], most: int = FIELD_MOST) -> tuple[dict[str, Any], dict[str, int]]:
    """The fields of an object, each longer one as the beginning of its text; and the bytes that those really have."""
    sizes: dict[str, int] = {}
    fields: dict[str, Any] = {}
    for name, value in body.items():
        if value is None or isinstance(value, bool | int | float):
            fields[name] = value
        elif isinstance(value, str):
            fields[name] = printable(value[:most])
            if len(value) > most:
                sizes[name] = size_of(value)
        elif len(text := written(value, most)) > most:
            fields[name], sizes[name] = printable(text[:most]), size_of(value)
        else:
            fields[name] = _clean(value) if any("\ud800" <= character <= "\udfff" for character in text) else value
    return fields, sizes


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {printable(name): _clean(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return printable(value) if isinstance(value, str) else value


def _pieces(value: Any, most: int, indent: int | None) -> Iterator[str]:
    """A stack and no recursion: each frame is the rest of an object or array, and what closes it."""
    stack: list[tuple[Iterator[tuple[str, Any]], str]] = []
    name, item = "", value
    while True:
        opened = isinstance(item, dict | list) and bool(item)
        yield name + (("{" if isinstance(item, dict) else "[") if opened else _plain(item, most))
        if opened:
            stack.append((_items(item, most), "}" if isinstance(item, dict) else "]"))
            yield _line(indent, len(stack))
        found = None
        while stack and (found := next(stack[-1][0], None)) is None:
            _, closing = stack.pop()
            yield _line(indent, len(stack)) + closing
        if found is None:
            return
        name, item = found
        if not opened:
            yield "," + (_line(indent, len(stack)) or " ")


def _items(value: dict[str, Any] | list[Any], most: int) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        return ((f"{_plain(name, most)}: ", item) for name, item in value.items())
    return (("", item) for item in value)


def _plain(value: Any, most: int) -> str:
    return json.dumps(value[: most + 1] if isinstance(value, str) else value, ensure_ascii=False)


def _line(indent: int | None, depth: int) -> str:
    return "" if indent is None else "\n" + " " * (indent * depth)
