"""Values as the server writes and reads them: JSON, and canonical CBOR."""

import json
from typing import Any

import cbor2
import httpx

from .errors import DaybookError

CBOR, JSON = "application/cbor", "application/json"
_WTF8_TAG = 273  # a text with a lone surrogate, which is no UTF-8


def canonical(value: Any) -> bytes:
    """RFC 8949, 4.2.1, of values whose keys are all text: the shortest forms, keys in the order of their bytes."""
    return cbor2.dumps(value, canonical=True)


def as_json(value: Any) -> str:
    """In ASCII, so that no lone surrogate can keep it from being sent."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def answer_of(response: httpx.Response) -> dict[str, Any]:
    """The object in the body; raises `DaybookError` where there is none."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        value = cbor2.loads(response.content, tag_hook=_untag) if kind == CBOR else json.loads(response.content)
    except (cbor2.CBORError, ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    words = f"{response.request.url} answered {response.status_code} with {kind or 'no type'}"
    raise DaybookError("not-daybook", words, status=response.status_code)


def _untag(tag: cbor2.CBORTag, _immutable: bool = False) -> Any:
    return tag.value.decode("utf-8", "surrogatepass") if tag.tag == _WTF8_TAG else tag
