"""A page watches: its session's cookie says who, at the connection and ever after."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from channels.auth import get_user
from django.conf import settings

from runs.watching.protocol import Subscribe, Unsubscribe, parse

if TYPE_CHECKING:
    from runs.access import Person


class SessionWatcher:
    grace = 0.0

    def __init__(self, scope: dict[str, Any]) -> None:
        self._session_key = scope["session"].session_key
        self.user: Person = scope["user"]

    async def arrive(self) -> None:
        pass

    async def read(self, text: str | None, _data: bytes | None) -> Subscribe | Unsubscribe:
        return parse(text)

    async def remains(self) -> bool:
        session = import_module(settings.SESSION_ENGINE).SessionStore(self._session_key)
        self.user = await get_user({"session": session})
        return bool(self.user.is_authenticated)
