"""From what a Python tool returns to a plain JSON value; what JSON or JavaScript would change is refused by its path.

Tuples become lists, dataclasses and pydantic models objects, and dates, decimals, UUIDs and lazy text the strings that
Django's JSON encoder writes. -0.0 becomes 0.0, as `JSON.stringify` makes it of -0: so the script sees one value, live
or from the journal, and passes on the one it saw.
"""

import datetime as dt
import decimal
import math
import uuid
from dataclasses import fields, is_dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.functional import Promise
from pydantic import BaseModel

from runs.tools.errors import ToolError
from runs.tools.refusal import RefusedError, instead_of, shown, where
from runs.tools.size import hard_limit, too_large

MAX_SAFE = 2**53 - 1  # JavaScript's Number.MAX_SAFE_INTEGER
MAX_DEPTH = 200

_AS_DJANGO = (dt.datetime, dt.date, dt.time, dt.timedelta, decimal.Decimal, uuid.UUID)
_encoder = DjangoJSONEncoder()
_NoneType = type(None)


def to_json(value: Any, root: str = "result") -> Any:
    """`value` as dicts, lists, str, int, float, bool and None only, sharing nothing mutable with it.

    Raises `ToolError("invalid-result")` that names the path below `root`, and `ToolError("result-too-large")` for what
    would be many times beyond any limit.
    """
    return measured(value, root)[0]


def measured(value: Any, root: str = "result") -> tuple[Any, int]:
    """`to_json(value)` and its units: values and characters; the JSON text has at least as many bytes."""
    walk = _Walk(hard_limit())
    try:
        return _value(value, 1, walk), walk.units
    except RefusedError as refused:
        raise ToolError("invalid-result", f"not a JSON value at {where(root, refused)}: {refused.reason}") from None


class _Walk:
    """What one conversion has met so far; the limit stops a small value that refers to itself a billion times."""

    __slots__ = ("limit", "units")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.units = 1

    def add(self, units: int) -> None:
        self.units += units
        if self.units > self.limit:
            raise too_large("the value", f"more than {self.limit:,}")


def _value(value: Any, depth: int, walk: _Walk) -> Any:
    kind = type(value)
    if kind is dict:
        return _dict(value, depth, walk, value)
    if kind is list or kind is tuple:
        return _list(value, depth, walk)
    if kind is float:
        return _float(value)
    if kind is str:
        walk.add(len(value))
        return value
    if kind is int:
        return _int(value)
    if kind is bool or kind is _NoneType:
        return value
    return _other(value, depth, walk)


# The two loops below are the hot path: what is plain already is passed without a call, and where it is in the value is
# found out only if it is refused.
def _dict(source: dict[Any, Any], depth: int, walk: _Walk, owner: Any) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise RefusedError(f"nested deeper than {MAX_DEPTH}")
    made: dict[str, Any] = {}
    chars = 0
    key: Any = None
    try:
        for key, item in source.items():
            name = key if type(key) is str else _key(key)
            chars += len(name)
            kind = type(item)
            if kind is str:
                chars += len(item)
                made[name] = item
            elif kind is bool or item is None or (kind is int and -MAX_SAFE <= item <= MAX_SAFE):
                made[name] = item
            else:
                made[name] = _value(item, depth + 1, walk)
    except RefusedError as refused:
        refused.passed(key, owner)
        raise
    walk.add(chars + len(made))
    return made


def _list(source: list[Any] | tuple[Any, ...], depth: int, walk: _Walk) -> list[Any]:
    if depth > MAX_DEPTH:
        raise RefusedError(f"nested deeper than {MAX_DEPTH}")
    made: list[Any] = []
    chars = 0
    try:
        for item in source:
            kind = type(item)
            if kind is str:
                chars += len(item)
                made.append(item)
            elif kind is bool or item is None or (kind is int and -MAX_SAFE <= item <= MAX_SAFE):
                made.append(item)
            else:
                made.append(_value(item, depth + 1, walk))
    except RefusedError as refused:
        refused.passed(len(made), source)
        raise
    walk.add(chars + len(made))
    return made


def _int(value: int) -> int:
    if -MAX_SAFE <= value <= MAX_SAFE:
        return value
    raise RefusedError(f"{shown(value)} is beyond 2^53-1, which JavaScript cannot hold exactly; return it as a string")


def _float(value: float) -> float:
    if not math.isfinite(value):
        raise RefusedError(f"{'NaN' if value != value else 'Infinity'} is not JSON; return None or a string")
    return value or 0.0  # -0.0 is falsy


def _key(key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    raise RefusedError(
        f"the key {shown(key)} is of type {type(key).__name__}, and JSON's keys are strings; write str(key)",
        at_key=True,
    )


def _other(value: Any, depth: int, walk: _Walk) -> Any:
    """Everything that is not exactly one of JSON's own types; a subclass becomes the plain value that it holds."""
    if isinstance(value, str):
        return _value(str.__str__(value), depth, walk)
    if isinstance(value, int):
        return _int(int.__int__(value))
    if isinstance(value, float):
        return _float(float.__float__(value))
    if isinstance(value, dict):
        return _dict(value, depth, walk, value)
    if isinstance(value, list | tuple):
        return _list(value, depth, walk)
    if isinstance(value, Promise):
        return _value(str(value), depth, walk)
    if isinstance(value, _AS_DJANGO):
        return _value(_as_django(value), depth, walk)
    return _dict(_record(value), depth, walk, value)


def _as_django(value: Any) -> Any:
    try:
        return _encoder.default(value)
    except ValueError as error:
        raise RefusedError(f"{value!r:.100} cannot be written: {error}") from None


def _record(value: Any) -> dict[Any, Any]:
    if isinstance(value, BaseModel):
        try:
            dumped = value.model_dump(warnings=False)
        except ValueError as error:  # pydantic's word for a cycle
            raise RefusedError(f"{type(value).__name__} cannot be dumped: {error}") from None
        return dumped
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise RefusedError(instead_of(value))
