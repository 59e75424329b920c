"""The ASGI application in a thread with an event loop of its own, and sockets to it that a test reads as it likes."""

import asyncio
import concurrent.futures
import contextlib
import json
import queue
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client

from config.asgi import application  # here: it configures logging anew, behind the back of a test that listens to it

Frame = dict[str, Any]


class Web:
    """`open` a socket as a user; each is closed at the end."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.sockets: list[Socket] = []

    @classmethod
    @contextlib.contextmanager
    def serving(cls) -> Iterator["Web"]:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="web", daemon=True)
        thread.start()
        web = cls(loop)
        try:
            yield web
            for socket in web.sockets:
                socket.close()
        finally:
            web.do(_close_connections())
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(10)

    def open(
        self,
        user: User | None = None,
        *,
        origin: str | None = "http://testserver",
        authorization: str | None = None,
        **more: Any,
    ) -> "Socket":
        headers = [(b"host", b"testserver")]
        if authorization is not None:
            headers.append((b"authorization", authorization.encode()))
        if origin is not None:
            headers.append((b"origin", origin.encode()))
        if user is not None:
            client = Client()
            client.force_login(user)
            cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
            headers.append((b"cookie", cookie.encode()))
        socket = Socket(self, headers, **more)
        self.sockets.append(socket)
        return socket


class Socket:
    """One socket. `read` gives the next frame; while `stalled` is used, nothing is read and the server has to wait."""

    def __init__(self, web: Web, headers: list[tuple[bytes, bytes]], path: str = "/ws/runs") -> None:
        self._web = web
        self._sent: queue.Queue[Frame] = queue.Queue()
        self._asked: asyncio.Queue[Frame] = asyncio.Queue()
        self._reads = asyncio.Event()
        self._reads.set()
        self.frames: list[Frame] = []  # all that were read
        scope = {"type": "websocket", "path": path, "query_string": b"", "headers": headers, "subprotocols": []}
        self.app = asyncio.run_coroutine_threadsafe(self._serve(scope), web.loop)
        self._ask({"type": "websocket.connect"})
        self.accepted = self._sent.get(timeout=10)["type"] == "websocket.accept"

    async def _serve(self, scope: Frame) -> None:

        async def send(message: Frame) -> None:
            await self._reads.wait()
            self._sent.put(message)

        await application(scope, self._asked.get, send)

    def _ask(self, message: Frame) -> None:
        self._web.loop.call_soon_threadsafe(self._asked.put_nowait, message)

    def send(self, frame: Any) -> None:
        self.send_text(json.dumps(frame))

    def send_text(self, text: str) -> None:
        self._ask({"type": "websocket.receive", "text": text})

    def send_bytes(self, data: bytes) -> None:
        self._ask({"type": "websocket.receive", "bytes": data})

    def subscribe(self, run_id: str, **more: Any) -> None:
        self.send({"_": "Subscribe", "key": f"runs/{run_id}", **more})

    def read(self, within: float = 10) -> Frame:
        """The next frame; the close of the socket is {"close": code}."""
        message = self._sent.get(timeout=within)
        if message["type"] == "websocket.close":
            return {"close": message.get("code")}
        frame: Frame = json.loads(message["text"])
        self.frames.append(frame)
        return frame

    def until(self, wanted: Callable[[Frame], bool] | str, within: float = 10) -> Frame:
        """The next frame of that name, or that fits; what comes before it is read too."""
        fits = (lambda frame: frame.get("_") == wanted) if isinstance(wanted, str) else wanted
        until = time.monotonic() + within
        while not fits(frame := self.read(max(0.01, until - time.monotonic()))):
            pass
        return frame

    def until_seq(self, run_id: str, seq: int, within: float = 20) -> None:
        """Read until that entry of the run has come."""
        until = time.monotonic() + within
        while seq not in self.seqs(run_id):
            self.read(max(0.01, until - time.monotonic()))

    def seqs(self, run_id: str) -> list[int]:
        """The entries of the run that were read, in the order in which they came."""
        appends = [frame for frame in self.frames if frame["_"] == "append" and frame["runId"] == run_id]
        return [entry["seq"] for frame in appends for entry in frame["entries"]]

    def changes(self, run_id: str) -> list[Frame]:
        return [frame["run"] for frame in self.frames if frame["_"] == "change" and frame["run"]["id"] == run_id]

    @contextlib.contextmanager
    def stalled(self) -> Iterator[None]:
        self._web.loop.call_soon_threadsafe(self._reads.clear)
        try:
            yield
        finally:
            self._web.loop.call_soon_threadsafe(self._reads.set)

    def rest(self) -> list[Frame]:
        """What has arrived and was not read."""
        while not self._sent.empty():
            self.read()
        return self.frames

    def close(self) -> None:
        if not self.app.done():
            self._web.loop.call_soon_threadsafe(self._reads.set)
            self._ask({"type": "websocket.disconnect", "code": 1000})
        with contextlib.suppress(concurrent.futures.CancelledError):  # a test has stopped it as Daphne does
            self.app.result(10)


async def _close_connections() -> None:
    """When the last socket has gone, nothing is left at work."""
    ours = str(Path("runs", "watching"))
    left = [task for task in asyncio.all_tasks() if ours in task.get_coro().cr_code.co_filename]
    left = [task for task in left if task is not asyncio.current_task()]
    await asyncio.wait_for(asyncio.gather(*left, return_exceptions=True), 5)
    await database_sync_to_async(connections.close_all)()
