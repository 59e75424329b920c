"""A door in front of servers, which a test can shut: what stands between processes and a database, or before web
processes whose connections it deals out in turn."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

from helpers import free_port


class Door:
    """Passes TCP connections on to the targets, (host, port) each, one after the other; a target that refuses is passed
    over. `shut` drops all connections and refuses new ones, `hush` keeps them and passes nothing on, `open` ends both.
    """

    def __init__(self, *targets: tuple[str, int], port: int = 0) -> None:
        self.port = port or free_port()
        self._targets = list(targets)
        self._passing = asyncio.Event()
        self._passing.set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="door", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @classmethod
    def before(cls, url: str) -> tuple["Door", str]:
        """One before the server of that address, and the address that leads through it."""
        parts = urlsplit(url)
        door = cls((parts.hostname or "127.0.0.1", parts.port or {"redis": 6379}.get(parts.scheme, 5432)))
        who = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
        return door, urlunsplit(parts._replace(netloc=f"{who}127.0.0.1:{door.port}"))

    def open(self) -> None:
        self._do(self._open)

    def shut(self) -> None:
        self._do(self._shut)

    def hush(self) -> None:
        self._loop.call_soon_threadsafe(self._passing.clear)

    def _do(self, what: Callable[[], Coroutine[Any, Any, None]]) -> None:
        asyncio.run_coroutine_threadsafe(what(), self._loop).result(timeout=30)

    async def _open(self) -> None:
        self._passing.set()
        if self._server is None:
            self._server = await asyncio.start_server(self._passed, "127.0.0.1", self.port)

    async def _shut(self) -> None:
        if self._server:
            self._server.close()
            self._server = None
        self._passing.set()  # whoever is kept waiting finds the connection gone
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _passed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            if there := await self._connected():
                try:
                    await asyncio.gather(self._pump(reader, there[1]), self._pump(there[0], writer))
                finally:
                    there[1].transport.abort()
        except asyncio.CancelledError:
            pass  # shut; the server would print it
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for _ in range(len(self._targets)):
            target = self._targets.pop(0)
            self._targets.append(target)
            with suppress(OSError):
                return await asyncio.open_connection(*target)
        return None

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._passing.wait()
                writer.write(data)
                await writer.drain()
        with suppress(OSError):
            writer.close()
