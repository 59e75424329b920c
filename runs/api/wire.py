"""Values on the wire: canonical CBOR (RFC 8949, 4.2.1) and JSON, each read strictly.

Only what JSON has, and byte strings, is a value here: no tags, `undefined`, other simple values, NaN or infinities, and
no keys but text. So there is one way to write a message, and what was signed is what is read.
"""

import json
import math
from typing import Any, NoReturn

import cbor2

from journal import codec
from runs.api.errors import ApiError
from runs.errors import Refused
from runs.json_text import parse

DEPTH = 100  # containers within one another
_JSON: frozenset[type] = frozenset({str, int, bool, type(None)})
_BYTES_TOO: frozenset[type] = _JSON | {bytes}
# All that cbor2 would turn into an object of Python; its `tag_hook` gets every other tag.
_TAGS = (0, 1, 2, 3, 4, 5, 25, 28, 29, 30, 35, 36, 37, 100, 256, 258, 260, 261, 1004, 43000, 55799)


class _TaggedError(ValueError):
    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__("a tag")


def _refuse_tag(*_: Any, **__: Any) -> NoReturn:
    raise _TaggedError


_REFUSED_TAGS = dict.fromkeys(_TAGS, _refuse_tag)


def canonical(value: Any) -> bytes:
    """The one CBOR of a value, for signing and for comparing; also of JSON values with lone surrogates (tag 273)."""
    return codec.encode(value, canonical=True)


def read_cbor(data: bytes) -> Any:
    """The value of canonical CBOR; raises `ApiError` for all else; takes no memory for what is claimed."""
    try:
        value = cbor2.loads(
            data,
            tag_hook=_refuse_tag,
            semantic_decoders=_REFUSED_TAGS,
            max_depth=DEPTH,
            allow_indefinite=False,
            allow_duplicate_keys=False,
            strict_hashable_types=True,
        )
    except (cbor2.CBORError, ValueError, OverflowError, MemoryError) as error:
        raise _not_canonical(str(error.__cause__ or error)) from None
    check(value, _BYTES_TOO, "not-canonical")
    if cbor2.dumps(value, canonical=True) != data:
        raise _not_canonical(
            "integers, floats and lengths are the shortest there are, keys in the order of their bytes"
        )
    return value


def read_json(data: bytes, name: str = "the body") -> Any:
    """The value of JSON text in UTF-8; raises `ApiError`."""
    try:
        value = parse(data.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        raise ApiError("bad-message", f"{name}: not UTF-8 at byte {error.start}") from None
    except Refused as refused:
        raise ApiError("bad-message", str(refused)) from None
    check(value)
    return value


def write_json(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def check(value: Any, plain: frozenset[type] = _JSON, code: str = "bad-message") -> None:
    """Raises `ApiError` unless all of it is what JSON has; without recursion, since it may be deep."""
    todo = [(value, 0)]
    while todo:
        value, depth = todo.pop()
        kind = type(value)
        if kind in plain:
            continue
        if kind is float:
            if not math.isfinite(value):
                raise ApiError(code, f"{value} is not a number that is taken here; use null or text")
        elif kind is list or (kind is dict and all(type(key) is str for key in value)):
            if depth == DEPTH:
                raise ApiError(code, f"there are more than {DEPTH} arrays and objects within one another")
            todo += [(item, depth + 1) for item in (value if kind is list else value.values())]
        else:
            raise ApiError(
                code, "keys are text, and values those of JSON; byte strings stand only where one is asked for"
            )


def _not_canonical(reason: str) -> ApiError:
    return ApiError(
        "not-canonical", f"not canonical CBOR (RFC 8949, 4.2.1, without tags and indefinite lengths): {reason}"
    )
