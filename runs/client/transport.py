"""One question to the server and its answer, asked again while there is hope."""

import asyncio
import contextlib
import uuid
from typing import Any

import httpx

from . import wire
from .credentials import Credentials
from .errors import DaybookError
from .patience import Patience

# Of a server that is busy, or of a proxy whose server is just starting.
_AGAIN = frozenset({429, 502, 503, 504})
_TIMEOUT = httpx.Timeout(30, connect=10)


class Transport:
    """`call` gives the fields of the answer, or raises `DaybookError`."""

    def __init__(self, url: str, credentials: Credentials, patience: float, http: httpx.AsyncClient | None) -> None:
        self.url = url.rstrip("/")
        self.credentials, self.patience = credentials, patience
        self._http = http or httpx.AsyncClient(timeout=_TIMEOUT)
        self._owns = http is None

    async def close(self) -> None:
        if self._owns:
            await self._http.aclose()

    async def change(self, action: str, fields: dict[str, Any], request_id: str | None) -> dict[str, Any]:
        """The same `clientRequestId` goes with each attempt, so that the server does it once."""
        return await self.call(action, fields | {"clientRequestId": request_id or str(uuid.uuid4())})

    async def call(self, action: str, fields: dict[str, Any]) -> dict[str, Any]:
        patience = Patience(self.patience)
        while True:
            asked: float | None = None
            try:
                response = await self._post(action, fields)
                failed = _error(response)
                if failed is None:
                    answer = wire.answer_of(response)
                    return {name: value for name, value in answer.items() if name != "_"}
                if response.status_code not in _AGAIN:
                    raise failed
                asked = _retry_after(response)
            except httpx.UnsupportedProtocol as error:
                raise DaybookError("unreachable", f"{self.url} is no address of a server: {error}") from None
            except httpx.TransportError as error:
                failed = DaybookError("unreachable", f"{self.url} does not answer: {error or type(error).__name__}")
            pause = patience.pause(asked)
            if pause is None:
                raise failed
            await asyncio.sleep(pause)

    async def _post(self, action: str, fields: dict[str, Any]) -> httpx.Response:
        request = self.credentials.request(action, fields)
        return await self._http.post(self.url + request.path, headers=request.headers, content=request.content)


def _error(response: httpx.Response) -> DaybookError | None:
    if response.is_success:
        return None
    try:
        return DaybookError.of(wire.answer_of(response), response.status_code)
    except DaybookError as unreadable:
        return unreadable


def _retry_after(response: httpx.Response) -> float | None:
    with contextlib.suppress(ValueError):  # a date; our own server sends seconds
        return max(0.0, float(response.headers.get("retry-after", "")))
    return None
