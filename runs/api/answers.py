"""Answers as HTTP responses, in CBOR or JSON, and what becomes of a view that fails."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, UnreadablePostError

from journal import codec
from runs.api import identity, wire
from runs.api.caller import Caller
from runs.api.errors import ApiError
from runs.conf import conf

log = logging.getLogger("runs.api")
CBOR, JSON = "application/cbor", "application/json"
_WRITERS: dict[str, Callable[[Any], bytes]] = {CBOR: codec.encode, JSON: wire.write_json}


class Answered(HttpResponse):
    """The answer to a caller, whose use of the key or token is written down once it has been sent."""

    def __init__(self, content: bytes, kind: str, status: int, caller: Caller) -> None:
        super().__init__(content, status=status, content_type=kind, headers={"Cache-Control": "no-store"})
        self._caller = caller

    def close(self) -> None:
        identity.note_use(self._caller)
        super().close()


def answered(kind: str, caller: Caller, name: str, status: int, told: dict[str, Any]) -> HttpResponse:
    return Answered(_WRITERS[kind]({"_": name, **told}), kind, status, caller)


def posted(kind: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """A view of POST with a body of that type, which gets the request; what it raises is an answer in that type."""

    def around(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def guarded(request: HttpRequest, **named: Any) -> HttpResponse:
            try:
                _check(request, kind)
                return view(request, **named)
            except ApiError as error:
                return _failed(kind, error)
            except (OperationalError, InterfaceError) as error:
                return _failed(kind, _outage(request, error))
            except UnreadablePostError:
                return _failed(kind, ApiError("bad-message", "the body ended before it was all there"))
            except Exception:
                log.exception("%s %s failed", request.method, request.path)
                words = "a fault of the platform, not of the request; the log of the web process has it"
                return _failed(kind, ApiError("internal-error", words))

        return guarded

    return around


def body(request: HttpRequest) -> bytes:
    """All of it, once; raises `ApiError` for more than may be, having read hardly more than that."""
    most = conf().api_max_bytes
    if _length(request) <= most and len(data := request.read(most + 1)) <= most:
        return bytes(data)
    raise ApiError("too-large", f"the body has more than {most} bytes (DAYBOOK_API_MAX_BYTES); pass references")


def _check(request: HttpRequest, kind: str) -> None:
    if request.method != "POST":
        raise ApiError("method", "send a POST, with the action or its fields as the body", headers={"Allow": "POST"})
    if (request.content_type or "").lower() != kind:
        raise ApiError("content-type", f"send the header `Content-Type: {kind}`")


def _length(request: HttpRequest) -> int:
    """As it is announced; 0 where it is not, and reading has to find out."""
    text = str(request.META.get("CONTENT_LENGTH") or "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _outage(request: HttpRequest, error: Exception) -> ApiError:
    log.error("the database does not answer: %s %s: %s", request.method, request.path, error)
    words = "the database does not answer; send the same again, with the same clientRequestId, in a while"
    return ApiError("database", words, headers={"Retry-After": "5"})


def _failed(kind: str, error: ApiError) -> HttpResponse:
    headers = {"Cache-Control": "no-store", **error.headers}
    return HttpResponse(_WRITERS[kind](error.as_dict()), status=error.status, content_type=kind, headers=headers)
