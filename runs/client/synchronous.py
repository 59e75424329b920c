"""The client for scripts without asyncio: the other one, in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from .actions import Actions, Facts
from .asynchronous import PATIENCE_SECONDS, AsyncDaybook
from .credentials import Credentials
from .items import Item

T = TypeVar("T")
_END_SECONDS = 5.0


class Daybook(Actions[Facts]):
    """As `AsyncDaybook`; use it in a `with`, or `close` it."""

    def __init__(self, url: str, credentials: Credentials, *, patience: float = PATIENCE_SECONDS) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="daybook", daemon=True)
        self._thread.start()
        self._client = AsyncDaybook(url, credentials, patience=patience)
        self._followed: set[AsyncGenerator[Item, None]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._loop.is_closed():
            return
        for items in list(self._followed):
            self._do(items.aclose())
        self._do(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(self, action: str, fields: Mapping[str, Any]) -> Facts:
        return self._do(self._client.call(action, fields))

    def change(self, action: str, fields: Mapping[str, Any], request_id: str | None = None) -> Facts:
        return self._do(self._client.change(action, fields, request_id))

    def wait(self, run_id: str, timeout: float | None = None) -> Facts:
        return self._do(self._client.wait(run_id, timeout))

    def follow(
        self, run_id: str, *, after_seq: int | Mapping[str, int] = 0, tree: bool = False, changes: bool = False
    ) -> Iterator[Item]:
        """As `AsyncDaybook.follow`."""
        items = self._client.follow(run_id, after_seq=after_seq, tree=tree, changes=changes)
        self._followed.add(items)
        try:
            while (item := self._do(anext(items, None))) is not None:
                yield item
        finally:
            if not self._loop.is_closed():
                self._do(items.aclose())
            self._followed.discard(items)

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        ended = threading.Event()

        async def done() -> T:
            try:
                return await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(done(), self._loop)
        try:
            return future.result()
        except BaseException:
            if future.cancel():  # Ctrl-C ends what is under way, and waits for that
                ended.wait(_END_SECONDS)
            raise
