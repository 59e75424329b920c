"""Asking the API who calls: the very checks of `POST /api/message` and of a Bearer token, told as frames."""

from collections.abc import Callable
from typing import Any, TypeVar

from channels.db import database_sync_to_async
from django import db

from runs import visitors
from runs.api import identity
from runs.api.caller import Caller
from runs.api.envelope import Envelope
from runs.api.errors import ApiError
from runs.watching.protocol import Close, RefusedFrame

T = TypeVar("T")
# What does not lie in the frame, so that the next one would come to the same.
_CLOSES = {"rate-limited": Close.TOO_MANY, "database": Close.RESTART, "bad-token": Close.NOT_SIGNED_IN}


def place_of(scope: dict[str, Any]) -> str:
    """Where the connection comes from, as `runs.visitors` says it of a request."""
    told = [value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"x-forwarded-for"]
    address = (scope.get("client") or ("",))[0]
    return visitors.place_of(visitors.address_of({"REMOTE_ADDR": address, "HTTP_X_FORWARDED_FOR": ",".join(told)}))


async def by_token(header: str, place: str) -> Caller:
    """Raises `RefusedFrame`."""

    def check() -> Caller:
        caller = identity.by_token(header, place)
        identity.note_use(caller)
        return caller

    return await _asked(check)


async def by_signature(data: bytes, place: str) -> tuple[Caller, Envelope]:
    """Raises `RefusedFrame`."""

    def check() -> tuple[Caller, Envelope]:
        caller, message = identity.by_signature(data, place)
        identity.note_use(caller)
        return caller, message

    return await _asked(check)


async def still(caller: Caller) -> Caller | None:
    """As of now; None when its key or token is good no more."""
    found: Caller | None = await database_sync_to_async(identity.still)(caller)
    return found


async def _asked(check: Callable[[], T]) -> T:
    try:
        found: T = await database_sync_to_async(check)()
        return found
    except ApiError as error:
        raise RefusedFrame(error.code, str(error), details=_details(error), close=_CLOSES.get(error.code)) from None
    except db.Error:
        raise RefusedFrame("database", "the database does not answer; connect again", close=Close.RESTART) from None


def _details(error: ApiError) -> Any:
    wait = error.headers.get("Retry-After")
    return error.details if wait is None else {"retryAfter": int(wait)}
