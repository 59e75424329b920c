"""The client for asyncio."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

import httpx

from .actions import Actions, Facts
from .credentials import Credentials
from .following import Following
from .items import Entry, Item
from .transport import Transport

PATIENCE_SECONDS = 60.0


class AsyncDaybook(Actions[Awaitable[Facts]]):
    """`url` is that of the server, `https://daybook.example.com`. For `patience` seconds a question is asked again
    while there is no connection, or the server is busy. `http` is used instead of one of its own, and not closed."""

    def __init__(
        self,
        url: str,
        credentials: Credentials,
        *,
        patience: float = PATIENCE_SECONDS,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport = Transport(url, credentials, patience, http)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def call(self, action: str, fields: Mapping[str, Any]) -> Facts:
        return await self._transport.call(action, dict(fields))

    async def change(self, action: str, fields: Mapping[str, Any], request_id: str | None = None) -> Facts:
        return await self._transport.change(action, dict(fields), request_id)

    async def wait(self, run_id: str, timeout: float | None = None) -> Facts:  # noqa: ASYNC109  (as asyncio.wait has)
        """The facts of the run when it has ended, or of the last one that it was continued as. Raises `TimeoutError`
        after so many seconds; the run goes on. One that is deleted meanwhile is a `DaybookError`."""
        following = Following(self._transport, run_id, {}, tree=False, entries=False)
        try:
            async with asyncio.timeout(timeout), aclosing(following.items()) as items:
                async for _ in items:
                    pass
        except TimeoutError:
            raise TimeoutError(f"run {run_id} has not ended within {timeout} s; it goes on") from None
        return following.facts

    async def follow(
        self, run_id: str, *, after_seq: int | Mapping[str, int] = 0, tree: bool = False, changes: bool = False
    ) -> AsyncGenerator[Item, None]:
        """The entries of the run, in order and each once, until it has ended; then those of the run that it was
        continued as. With `tree` those of all runs of its tree, with `changes` also a `Change` whenever one stands
        differently. `after_seq` is what you have already: a seq of this run, or the seqs by run id. Connections that
        end are made again; without sockets, it looks once a second."""
        after = {run_id: after_seq} if isinstance(after_seq, int) else after_seq
        async with aclosing(Following(self._transport, run_id, after, tree=tree).items()) as items:
            async for item in items:
                if changes or isinstance(item, Entry):
                    yield item
