"""Where in a tool's result something is that JSON cannot carry, and what its author should return instead."""

import enum
import inspect
import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from django.db.models import Manager, Model, QuerySet

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PATH_MAX = 300


class RefusedError(Exception):
    """Thrown where the fault is; each container that it passes adds its key, so that a good value pays nothing."""

    def __init__(self, reason: str, *, at_key: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at_key = at_key
        self.trail: list[tuple[Any, int]] = []

    def passed(self, key: Any, container: object) -> None:
        """Notes the container and the key below it; a refused key belongs to the container itself."""
        if self.at_key:
            self.at_key = False
        else:
            self.trail.append((key, id(container)))


def where(root: str, refused: RefusedError) -> str:
    """`result.items[3].price`. A value that contains itself is told from a merely deep one."""
    path, seen = root, set()
    for key, container in reversed(refused.trail):
        if container in seen:
            refused.reason = "a cycle: the value contains itself"
            break
        seen.add(container)
        path += _step(key)
    return path if len(path) <= _PATH_MAX else f"{path[: _PATH_MAX // 2]} ... {path[-_PATH_MAX // 2 :]}"


def instead_of(value: object) -> str:
    """Why a value of this type is refused, and what to return in its place."""
    kind = type(value)
    for types, advice in _ADVICE:
        if isinstance(value, types):
            return f"{kind.__module__}.{kind.__qualname__} is not JSON; {advice}"
    if inspect.iscoroutine(value):
        value.close()  # else Python warns, somewhere else and later, that nobody awaited it
        return f"the coroutine {value.__qualname__} was not awaited; write `await`, or make the tool an async def"
    return f"{kind.__module__}.{kind.__qualname__} is not JSON; return a dict of what the script needs"


def shown(value: object) -> str:
    """The value in a few characters; Python itself refuses to write an integer of some thousand digits."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length():,} bits"
    return f"{value!r:.60}"


_ADVICE: tuple[tuple[Any, str], ...] = (
    (Model, "return the fields that the script needs, as a dict"),
    (QuerySet, "return list(queryset.values('field', ...)), with a limit"),
    (Manager, "return list(queryset.values('field', ...)), with a limit"),
    ((bytes, bytearray, memoryview), "decode it, or return base64 text"),
    (AbstractSet, "return sorted(...) of it, since a set has no order to replay"),
    (enum.Enum, "return its .value or its .name"),
    (complex, "return its two parts"),
    (type, "return an instance or a name"),
    (Mapping, "return dict(...) of it"),
    (Iterator, "return list(...) of it"),
    (BaseException, "raise it, or return str(...) of it"),
)


def _step(key: Any) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    text = str(key)
    if _IDENTIFIER.fullmatch(text) and len(text) <= 60:
        return f".{text}"
    return f"[{text[:60]!r}]"
