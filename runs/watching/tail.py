"""How a web process learns that the database has changed: by hints through the channel layer where there is Redis, by
SQLite's own counter where there is SQLite, and by looking often on PostgreSQL alone.

(PostgreSQL could tell by itself, with NOTIFY; but its commits would then queue up for one lock, which every append
would pay, watched or not.)
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from channels.layers import get_channel_layer
from django import db

from runs.watching import hints

logger = logging.getLogger("runs.watching")
Wake = Callable[[Iterable[str] | None], None]  # with the ids of runs, or None for anything
_SAFETY_SECONDS = 2.0  # how often a feed looks though nobody has told it to
_LOOK_SECONDS = 0.05
_TAIL_SECONDS = 0.01
_AGAIN_SECONDS = 1.0


class Source(Protocol):
    """Calls `wake` on the event loop; `poll` is how often a feed looks by itself, in seconds."""

    poll: float

    def close(self) -> None: ...


def source(wake: Wake) -> Source:
    """The one for this installation, at work until it is closed."""
    if hints.reach():
        return Listener(wake)
    return Tail(wake) if db.connection.vendor == "sqlite" else Looking()


class Looking:
    """Nobody tells; the feeds look by themselves."""

    poll = _LOOK_SECONDS

    def close(self) -> None:
        pass


class Tail:
    """Asks SQLite whether anything was committed: two microseconds on a connection of its own, from a thread."""

    poll = _SAFETY_SECONDS

    def __init__(self, wake: Wake) -> None:
        self._wake, self._loop = wake, asyncio.get_running_loop()
        self._over = threading.Event()
        threading.Thread(target=self._serve, name="tail", daemon=True).start()

    def close(self) -> None:
        self._over.set()

    def _serve(self) -> None:
        version = None
        pause = _TAIL_SECONDS
        while not self._over.wait(pause):
            try:
                before, version = version, _version()
                pause = _TAIL_SECONDS
            except db.Error as error:
                logger.warning("the database does not say whether it has changed; asking again: %s", error)
                db.connections.close_all()
                version, pause = None, _AGAIN_SECONDS
                continue
            if version != before:
                with contextlib.suppress(RuntimeError):  # the loop has ended before us
                    self._loop.call_soon_threadsafe(self._wake, None)
        db.connections.close_all()


class Listener:
    """Receives the hints of all processes."""

    poll = _SAFETY_SECONDS

    def __init__(self, wake: Wake) -> None:
        self._wake = wake
        self._task = asyncio.create_task(self._serve())

    def close(self) -> None:
        self._task.cancel()

    async def _serve(self) -> None:
        while True:
            try:
                await self._listen(get_channel_layer())
            except Exception as error:  # noqa: BLE001  (whatever a channel layer may raise)
                logger.warning("no hints arrive, changes are seen late; trying again: %s", error)
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _listen(self, layer: Any) -> None:
        channel = await layer.new_channel()
        await layer.group_add(hints.GROUP, channel)
        try:
            self._wake(None)  # what was told before is lost
            while True:
                self._wake((await layer.receive(channel))["runs"])
        finally:
            await layer.group_discard(hints.GROUP, channel)


def _version() -> int:
    with db.connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        ((version,),) = cursor.fetchall()
    return int(version)
