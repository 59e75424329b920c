"""What is looked for in a call, and the bytes that its entries then hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from journal import codec
from journal.entries import Kind

UNSET: Any = object()
STATUSES = ("succeeded", "failed", "open")
PLACES = ARGUMENTS, RESULT, EITHER = "arguments", "result", "either"


@dataclass(frozen=True, slots=True)
class Effects:
    """Empty for what is not asked for. `tool` is the whole name of a tool or agent; `narration` a part of the call's
    description; `status` succeeded, failed or open; `text` a part of any text, and `value` a whole JSON value, anywhere
    in the arguments, in the result (or error), or in either. Upper and lower case are told apart."""

    tool: str = ""
    narration: str = ""
    status: str = ""
    text: str = ""
    value: Any = UNSET
    where: str = EITHER

    def __bool__(self) -> bool:
        return bool(self.tool or self.narration or self.status or self.text) or self.value is not UNSET

    @property
    def in_arguments(self) -> bool:
        return self.where in (ARGUMENTS, EITHER)

    @property
    def in_result(self) -> bool:
        return self.where in (RESULT, EITHER)


Bytes = Sequence[Sequence[bytes]]  # all of: any of
BEGINS, ENDS = (Kind.CALL,), (Kind.RESULT, Kind.TIMER)


def traces(effects: Effects) -> list[tuple[Sequence[Kind], Bytes]]:
    """What each such call has left in the journal: an entry of one of these kinds that holds these bytes. At least
    one, and never more than a call that matches has."""
    begun: list[Sequence[bytes]] = []
    if effects.tool:
        begun.append([_pair("tool", effects.tool), _pair("agent", effects.tool)])
    if effects.narration:
        begun.append([_text(effects.narration)])
    ended = [[_pair("status", effects.status)]] if effects.status in ("succeeded", "failed") else []
    kinds = {ARGUMENTS: BEGINS, RESULT: ENDS, EITHER: (*BEGINS, *ENDS)}[effects.where]
    found: list[tuple[Sequence[Kind], Bytes]] = [(BEGINS, begun), (ENDS, ended)]
    found += [(kinds, [content]) for content in _content(effects)]
    return [(of, held) for of, held in found if held] or [(BEGINS, [])]


def _content(effects: Effects) -> list[Sequence[bytes]]:
    held: list[Sequence[bytes]] = [[_text(effects.text)]] if effects.text else []
    return held + ([_of_value(effects.value)] if _of_value(effects.value) else [])


def _of_value(value: Any) -> list[bytes]:
    """Of a number both forms, whole and with a point; nothing of what may stand in any order."""
    if value is UNSET or isinstance(value, dict | list):
        return []
    forms = [value]
    if isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer():
        forms = [int(value), float(value)]
    return [codec.encode(form) for form in forms]


def _pair(name: str, value: str) -> bytes:
    return codec.encode(name) + codec.encode(value)


def _text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
