"""JSON as people write it, into a field or a file: strict, and a refusal says where."""

import json
from typing import Any

from runs.errors import BadInput


class NotJson(BadInput):
    """`reason` says why, without the name of the text; `where` is "line 2, column 5", counted from 1, or ""."""

    def __init__(self, name: str, reason: str, where: str = "") -> None:
        self.reason, self.where = reason, where
        super().__init__(f"{name}: {reason}")


def parse(text: str, name: str) -> Any:
    """The value; `name` is what messages call the text. Raises `NotJson`, also for what JSON readers take and lose:
    NaN, and names that stand twice in an object."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotJson(name, f"not JSON at {where}: {error.msg}", where) from None
    except RecursionError:
        raise NotJson(name, "the JSON is nested too deeply") from None
    except ValueError as error:
        raise NotJson(name, str(error)) from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; use null, or write the number as a string")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {twice!r} twice, and one of the values would be lost")
    return value
