"""Who watches through a socket: what the consumer asks of `session`, `bearer` and `signed`, each of which knows by its
own means."""

from typing import Protocol

from runs.access import Person
from runs.watching.protocol import Subscribe, Unsubscribe


class Watcher(Protocol):
    """`grace`: how many seconds after the connection its `user`, anonymous until then, has to be known."""

    grace: float

    @property
    def user(self) -> Person: ...

    async def arrive(self) -> None:
        """The connection is there; raises `RefusedFrame` where what it came with names nobody."""

    async def read(self, text: str | None, data: bytes | None) -> Subscribe | Unsubscribe:
        """What a frame asks for; raises `RefusedFrame`."""

    async def remains(self) -> bool:
        """Look again, also at the user's permissions: whether what names the user still holds."""
