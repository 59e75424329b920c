"""Whether a call is what was looked for, judged by its decoded entries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runs.models import Run
from runs.reading.calls import CtxCall
from runs.reading.cutting import written
from runs.searching.effects import UNSET, Effects

_AROUND = 60  # characters of a text on either side of what was found
_PLACE_MAX = 200


@dataclass(frozen=True, slots=True)
class Match:
    """One call of `run`, a row of a list. `status` is that of the call as it stands; `superseded` the attempt that has
    left it behind, None for one that counts. `excerpt` is what was found, with its surroundings, and `where` the path
    to it: `input.order.number`, `output[3]`."""

    run: Run
    call_seq: int
    seq: int
    tool: str
    narration: str
    status: str
    at: int
    superseded: int | None
    where: str = ""
    excerpt: str = ""


def match_of(run: Run, call: CtxCall, effects: Effects) -> Match | None:
    """The match, or None."""
    if effects.tool and effects.tool not in (call.asked.get("tool"), call.asked.get("agent")):
        return None
    if effects.narration not in call.narration:
        return None
    if effects.status and effects.status != _status(call):
        return None
    found: tuple[str, str] | None = ("", "")
    if effects.text or effects.value is not UNSET:
        found = _content(call, effects)
    if found is None:
        return None
    status, (where, excerpt) = _status(call), found
    return Match(
        run, call.call_seq, call.seq, call.what, call.narration, status, call.began, call.superseded, where, excerpt
    )


def _status(call: CtxCall) -> str:
    return "open" if call.status == "pausing" else call.status


def _content(call: CtxCall, effects: Effects) -> tuple[str, str] | None:
    """Where the text and the value are: the path to the one that is shown, and what is there."""
    parts = list(_parts(call, effects))
    shown: tuple[str, str] | None = None
    if effects.text:
        shown = next(((at, _excerpt(v, effects.text)) for at, v in parts if _has(v, effects.text)), None)
        if shown is None:
            return None
    if effects.value is not UNSET:
        found = next(((at, written(v, _PLACE_MAX)) for at, v in parts if same(v, effects.value)), None)
        return None if found is None else shown or found
    return shown


def _parts(call: CtxCall, effects: Effects) -> Iterator[tuple[str, Any]]:
    if effects.in_arguments:
        yield from inside("input", call.input)
        if "script" in call.asked:
            yield from inside("script", call.asked["script"])
    if effects.in_result:
        for attempt in call.attempts:
            if attempt.status:
                yield from inside("output" if attempt.status == "succeeded" else "error", attempt.value)


def inside(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The value and all within it, each with its path; names of objects are texts too."""
    todo = [(path, value)]
    while todo:
        at, part = todo.pop()
        yield at, part
        if isinstance(part, dict):
            for name, item in reversed(part.items()):
                todo.append((f"{at}.{name}", item))
        elif isinstance(part, list):
            todo += [(f"{at}[{number}]", item) for number, item in reversed(list(enumerate(part)))]


def same(one: Any, other: Any) -> bool:
    """As JSON values: 1 is 1.0 and not true."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    numbers = {type(one), type(other)} <= {int, float}
    return (numbers or type(one) is type(other)) and bool(one == other)


def _has(part: Any, text: str) -> bool:
    if isinstance(part, dict):
        return any(text in name for name in part)
    return isinstance(part, str) and text in part


def _excerpt(part: Any, text: str) -> str:
    if isinstance(part, dict):
        part = next(name for name in part if text in name)
    at = part.index(text)
    first, last = max(0, at - _AROUND), at + len(text) + _AROUND
    return f"{'…' if first else ''}{part[first:last]}{'…' if last < len(part) else ''}"
