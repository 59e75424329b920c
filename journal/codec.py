"""JSON values to CBOR bytes and back, losing nothing: integers stay integers, key order and lone surrogates survive.

CBOR text must be UTF-8, JavaScript strings need not be: a string with a lone surrogate travels as tag 273 (WTF-8 bytes,
IANA's CBOR tag registry).
"""

from typing import Any

import cbor2

WTF8_TAG = 273


def encode(value: Any, *, canonical: bool = False) -> bytes:
    """CBOR of one JSON value (None, bool, int, float, str, list, dict with str keys); canonical: the keys are in the
    order of their bytes (RFC 8949, 4.2.1), and so equal values have equal bytes."""
    try:
        return cbor2.dumps(value, canonical=canonical)
    except UnicodeEncodeError:
        return cbor2.dumps(_wtf8(value), canonical=canonical)


def decode(data: bytes | memoryview) -> Any:
    """The JSON value of `encode`; raises `cbor2.CBORDecodeError` on damaged bytes."""
    return cbor2.loads(data, tag_hook=_untag)


def _wtf8(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return cbor2.CBORTag(WTF8_TAG, value.encode("utf-8", "surrogatepass"))
        return value
    if isinstance(value, dict):
        return {_wtf8(key): _wtf8(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_wtf8(item) for item in value]
    return value


def _untag(tag: cbor2.CBORTag, immutable: bool = False) -> Any:
    if tag.tag == WTF8_TAG:
        return tag.value.decode("utf-8", "surrogatepass")
    return tag
