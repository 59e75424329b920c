"""Makes `await send` of a socket wait while the client does not read, as the ASGI specification means it to.

Daphne does not: it hands all that an application sends to its transport, whose buffer grows without bound. Its
transport can tell when that buffer is full, so it is asked here. With any other server nothing is changed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer  # type: ignore[import-untyped]

Message = dict[str, Any]
Send = Callable[[Message], Awaitable[None]]


@implementer(IPushProducer)
class Gate:
    """What a Twisted transport tells when its buffer is full, and when it is empty again."""

    def __init__(self, transport: Any) -> None:
        self._open = asyncio.Event()
        self._open.set()
        transport.unregisterProducer()  # that of the HTTP request which became a socket
        transport.registerProducer(self, True)

    async def passed(self) -> None:
        while not self._open.is_set():
            await self._open.wait()

    def pauseProducing(self) -> None:  # noqa: N802
        self._open.clear()

    def resumeProducing(self) -> None:  # noqa: N802
        self._open.set()

    def stopProducing(self) -> None:  # noqa: N802
        """The connection is gone: nobody has to wait any more."""
        self._open.set()


class Paced:
    """ASGI middleware, the outermost for sockets: what is sent waits, what accepts or closes does not."""

    def __init__(self, application: Callable[..., Awaitable[None]]) -> None:
        self._application = application

    async def __call__(self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Send) -> None:
        transport = _transport(send)
        if transport is None:
            return await self._application(scope, receive, send)
        gate = Gate(transport)

        async def when_open(message: Message) -> None:
            if message["type"] == "websocket.send":
                await gate.passed()
            await send(message)

        return await self._application(scope, receive, when_open)


def _transport(send: Any) -> Any:
    """Daphne's `send` is a partial of its server's method with the protocol of the socket."""
    protocol = next(iter(getattr(send, "args", ())), None)
    transport = getattr(protocol, "transport", None)
    return transport if hasattr(transport, "registerProducer") else None
