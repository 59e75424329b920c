"""A program watches: each Subscribe is a signed message in a binary frame, and the first one that is good says who."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import AnonymousUser

from runs.watching.identified import by_signature, place_of, still
from runs.watching.protocol import FRAME_MAX, RefusedFrame, Subscribe, Unsubscribe, parse, subscription

if TYPE_CHECKING:
    from runs.access import Person
    from runs.api.caller import Caller

GRACE_SECONDS = 10.0


class SignedWatcher:
    def __init__(self, scope: dict[str, Any]) -> None:
        self.grace = GRACE_SECONDS
        self._place = place_of(scope)
        self._caller: Caller | None = None

    @property
    def user(self) -> "Person":
        return self._caller.user if self._caller else AnonymousUser()

    async def arrive(self) -> None:
        pass

    async def read(self, text: str | None, data: bytes | None) -> Subscribe | Unsubscribe:
        """Unsubscribing gives nothing away, and is as everywhere."""
        if data is not None:
            return await self._signed(data)
        asked = parse(text)
        if isinstance(asked, Subscribe):
            words = "send Subscribe as a signed message in a binary frame, or connect with a Bearer token"
            raise RefusedFrame("bad-signature", words, asked.key)
        return asked

    async def _signed(self, data: bytes) -> Subscribe:
        if len(data) > FRAME_MAX:
            raise RefusedFrame("too-large", f"a frame has at most {FRAME_MAX} bytes")
        caller, message = await by_signature(data, self._place)
        if self._caller is not None and caller.via != self._caller.via:
            raise RefusedFrame("another-key", "this socket is that of another key; open one for each")
        if message.name != "Subscribe":
            raise RefusedFrame("unknown-frame", "only Subscribe is signed here; what acts on a run goes by HTTP")
        asked = subscription(message.fields)
        self._caller = caller
        return asked

    async def remains(self) -> bool:
        """So far nobody has to, before the first message."""
        if self._caller is None:
            return True
        found = await still(self._caller)
        self._caller = found or self._caller
        return found is not None
