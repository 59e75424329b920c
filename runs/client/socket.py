"""One socket to the server: frames, until it is lost."""

import asyncio
import contextlib
import json
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from .errors import DaybookError
from .transport import Transport

SILENCE_SECONDS = 40.0  # the server sends a heartbeat every 15
_OPEN_SECONDS = 10.0
_FRAME_BYTES = 16 << 20
# Close codes after which another connection would come to the same.
_FINAL = {
    4400: ("bad-protocol", "the server does not take what this client sends; are both of the same version?"),
    4401: ("signed-out", "the key or token does not hold (any more); look at its state at the account page"),
    4403: ("permission-lost", "the run may not be seen any more"),
}
Frame = dict[str, Any]


class NoSocket(Exception):
    """None could be opened, or nothing has ever come through it."""


class SocketLost(Exception):
    """It has ended, or nothing comes any more; another one may do better, after so many seconds where the server has
    named them."""

    def __init__(self, why: str, retry_after: float | None = None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Socket:
    """An asynchronous context manager; raises `NoSocket` when it is entered."""

    def __init__(self, transport: Transport) -> None:
        self._credentials = transport.credentials
        self._url = "ws" + transport.url.removeprefix("http") + "/ws/api"
        self._used = False
        self._error: Frame | None = None

    async def __aenter__(self) -> Self:
        headers = self._credentials.socket_headers()
        opening = connect(
            self._url, additional_headers=headers, open_timeout=_OPEN_SECONDS, close_timeout=1, max_size=_FRAME_BYTES
        )
        try:
            self._connection: ClientConnection = await opening
        except (OSError, TimeoutError, WebSocketException) as error:
            raise NoSocket(f"{self._url}: {error or type(error).__name__}") from None
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        await self._connection.close()

    async def send(self, action: str, fields: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionClosed):  # `read` tells why
            await self._connection.send(self._credentials.frame(action, fields))

    async def read(self) -> Frame:
        """The next frame. Raises `SocketLost`, `NoSocket`, and `DaybookError` where the server closed it for good."""
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                frame: Frame = json.loads(await self._connection.recv())
        except TimeoutError:
            raise self._lost(f"nothing has come for {SILENCE_SECONDS:g} s") from None
        except ConnectionClosed as closed:
            raise self._why(closed.rcvd.code if closed.rcvd else None) from None
        self._used = True
        self._error = frame if frame["_"] == "error" else None
        return frame

    def _why(self, code: int | None) -> Exception:
        if code not in _FINAL:
            return self._lost(f"the socket was closed ({code or 'without a code'})")
        return DaybookError.of(self._error, code) if self._error else DaybookError(*_FINAL[code], status=code)

    def _lost(self, why: str) -> Exception:
        return SocketLost(why) if self._used else NoSocket(why)
