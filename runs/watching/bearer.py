"""A program watches: the token in its header `Authorization` says who, and its frames are as those of a page."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser

from runs.watching.identified import by_token, place_of, still
from runs.watching.protocol import Subscribe, Unsubscribe, parse

if TYPE_CHECKING:
    from runs.access import Person
    from runs.api.caller import Caller


class BearerWatcher:
    grace = 0.0

    def __init__(self, scope: dict[str, Any], header: str) -> None:
        self._header, self._place = header, place_of(scope)
        self._caller: Caller | None = None

    @property
    def user(self) -> "Person":
        return self._caller.user if self._caller else AnonymousUser()

    async def arrive(self) -> None:
        self._caller = await by_token(self._header, self._place)

    async def read(self, text: str | None, _data: bytes | None) -> Subscribe | Unsubscribe:
        return parse(text)

    async def remains(self) -> bool:
        assert self._caller
        found = await still(self._caller)
        self._caller = found or self._caller
        return found is not None
