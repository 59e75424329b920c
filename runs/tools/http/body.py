"""Reading a response's body within a limit, which counts what comes out of the compression, not what went in."""

import json
import zlib
from collections.abc import Iterator
from typing import Any

import httpx

from runs.tools.errors import ToolError
from runs.tools.plain import to_json

ENCODINGS = "gzip, deflate"  # what `read_body` undoes, and so what a request offers


def read_body(response: httpx.Response, max_bytes: int) -> bytes:
    """The decoded body; raises `ToolError("response-too-large")` as soon as it is known, the rest unread."""
    announced = response.headers.get("content-length", "")
    encoded = response.headers.get("content-encoding", "identity").strip().lower()
    if (
        encoded in ("", "identity")
        and announced.isascii()
        and announced.isdigit()
        and response.request.method != "HEAD"
    ):
        _check(int(announced), max_bytes)
    parts, size = [], 0
    for part in _decoded(response.iter_raw(), encoded, max_bytes):
        size += len(part)
        _check(size, max_bytes)
        parts.append(part)
    return b"".join(parts)


def as_text(data: bytes, response: httpx.Response) -> str:
    """The body as text, in the charset that the response names, else UTF-8; what does not fit becomes U+FFFD."""
    try:
        return data.decode(response.charset_encoding or "utf-8", errors="replace")
    except (LookupError, UnicodeError):  # a charset that is none, or that cannot replace what does not fit
        return data.decode("utf-8", errors="replace")


def as_json(text: str, response: httpx.Response) -> tuple[bool, Any]:
    """(True, value) where the response says it is JSON and JavaScript can hold it exactly, else (False, None)."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not (kind == "application/json" or kind.endswith("+json")):
        return False, None
    try:
        return True, to_json(json.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError, ToolError):
        return False, None


def _check(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise ToolError(
            "response-too-large",
            f"the response is at least {size:,} bytes; the limit is {max_bytes:,}: ask for a part, or raise max_bytes",
        )


def _decoded(raw: Iterator[bytes], encoding: str, max_bytes: int) -> Iterator[bytes]:
    if encoding in ("", "identity"):
        yield from raw
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise ToolError(
            "http-failed", f"the response is encoded as {encoding!r:.40}, though only {ENCODINGS} were offered"
        )
    inflater = None
    for data in raw:
        if not data:
            continue
        inflater = inflater or zlib.decompressobj(_window(encoding, data))
        try:
            # One byte more than the limit is enough to see that it is broken, and no bomb goes off.
            yield inflater.decompress(data, max_bytes + 1)
        except zlib.error as error:
            raise ToolError("http-failed", f"the response's {encoding} is damaged ({error})", retryable=True) from error
    if inflater and not inflater.eof:
        raise ToolError("http-failed", f"the response's {encoding} ends too early", retryable=True)


def _window(encoding: str, data: bytes) -> int:
    if encoding != "deflate":
        return 16 + zlib.MAX_WBITS
    # "deflate" is meant to be zlib's format, whose first byte says method 8; some servers send it bare.
    return zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS
