"""One reader per tree and web process: it reads what is new, and keeps the newest frames in a window that all sockets
of the tree share. So two hundred sockets cost one reading, one encoding and one copy."""

import asyncio
import contextlib
import logging
import time
from collections import deque

from django import db

from runs.watching.desk import Desk
from runs.watching.protocol import frame, key_of
from runs.watching.shelf import Shelf
from runs.watching.tree import Append, Change, Entry, News, Tree

logger = logging.getLogger("runs.watching")
WINDOW_FRAMES = 1_000
WINDOW_BYTES = 4 * 1024 * 1024
# Between two readings of a busy tree, in seconds. What is written meanwhile travels in one frame.
_PACE = 0.01
# And longer with many sockets or a large tree, so that the web process leaves the machine to the workers.
_PACE_PER_SOCKET = 0.0004
_PACE_PER_READING = 2.0
_AGAIN_SECONDS = 2.0  # after the database has not answered


class Notice:
    """A frame for everybody, of the feed itself."""

    def __init__(self, text: str) -> None:
        self.text = text


Item = Change | Append | Notice


class Feed:
    """`wake` it when the tree may have changed; it looks by itself every `poll` seconds. `heads` and `changes`: the
    newest entry and change of each run as of `end`, the place behind the last frame. `deleted`: the last frame, once
    the tree is gone."""

    def __init__(self, root_id: str, desk: Desk, shelf: Shelf, poll: float) -> None:
        self.root_id = root_id
        self.heads: dict[str, int] = {}
        self.changes: dict[str, Change] = {}
        self.deleted = ""
        self._tree, self._desk, self._shelf, self._poll = Tree(root_id), desk, shelf, poll
        self._window: deque[Item] = deque()
        self._begin = self._bytes = 0
        self._wake = asyncio.Event()
        self._watchers: set[asyncio.Event] = set()
        self._looked = asyncio.Condition()
        self._looks = 0  # how many have been begun
        self._seen = 0  # the newest look that has come back
        self._answers = True
        self._task = asyncio.create_task(self._run())

    # For subscriptions

    @property
    def end(self) -> int:
        return self._begin + len(self._window)

    def lost(self, place: int) -> bool:
        """Whether the frame at a place has left the window."""
        return place < self._begin

    def item(self, place: int) -> Item | None:
        """The frame at a place in the window, None where there is none yet."""
        return self._window[place - self._begin] if place < self.end else None

    async def entries(self, run_id: str, after: int, upto: int) -> list[Entry]:
        return await self._shelf.entries(run_id, after, upto)

    async def look(self) -> None:
        """Return when the database was read at a moment after this call."""
        needed = self._looks + 1
        self._wake.set()
        async with self._looked:
            await self._looked.wait_for(lambda: self._seen >= needed)

    def join(self, news: asyncio.Event) -> None:
        """`news` is set whenever there are more frames."""
        self._watchers.add(news)

    def leave(self, news: asyncio.Event) -> None:
        self._watchers.discard(news)

    @property
    def watched(self) -> bool:
        return bool(self._watchers)

    # For the hub

    def wake(self) -> None:
        self._wake.set()

    def stop(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        while True:
            began = time.monotonic()
            more = await self._read()
            took = time.monotonic() - began
            if not more:
                pace = max(_PACE, _PACE_PER_SOCKET * len(self._watchers), _PACE_PER_READING * took)
                await asyncio.sleep(pace if self._answers else _AGAIN_SECONDS)
                await self._asleep()

    async def _asleep(self) -> None:
        # Not wait_for, which in Python 3.11 may swallow a cancellation that comes together with what it waits for.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._poll):
                await self._wake.wait()

    async def _read(self) -> bool:
        """Whether there is more to read at once."""
        self._wake.clear()
        self._looks += 1
        look = self._looks
        try:
            news = await self._desk.do(self._tree.read)
        except Exception as error:  # noqa: BLE001  (a feed that has ended would look like a run that does nothing)
            self._failed(error)
            return False
        if not self._answers:
            self._start_over()
        self._publish(news)
        async with self._looked:
            self._seen = look
            self._looked.notify_all()
        return news.more

    def _failed(self, error: Exception) -> None:
        self._tree = Tree(self.root_id)
        if self._answers:
            self._answers = False
            logger.warning("the tree of run %s cannot be read; trying again", self.root_id, exc_info=error)
            code, what = ("database", "the database does not answer")
            if not isinstance(error, db.Error):
                code, what = ("internal-error", "the tree cannot be read (the server's log says why)")
            words = f"{what}; what happens meanwhile follows as soon as it is back"
            self._add([Notice(frame("error", key=key_of(self.root_id), code=code, message=words))])

    def _start_over(self) -> None:
        """What was read last may not have been told: everybody has to catch up."""
        self._answers = True
        self._begin = self.end + 1
        self._window.clear()
        self._bytes = 0
        self._ring()

    def _publish(self, news: News) -> None:
        if news.deleted:
            self.deleted = news.deleted
            self._ring()
            return
        for change in news.standing:
            before = self.changes.get(change.run_id)
            if before is not None and before.attempt != change.attempt:
                self._shelf.forget(change.run_id)  # another attempt has marked entries as left behind
            self.changes[change.run_id] = change
        self.heads |= news.heads
        self._add(news.frames)

    def _add(self, items: "list[Change | Append] | list[Notice]") -> None:
        for item in items:
            self._window.append(item)
            self._bytes += len(item.text)
        while len(self._window) > WINDOW_FRAMES or self._bytes > WINDOW_BYTES:
            self._bytes -= len(self._window.popleft().text)
            self._begin += 1
        if items:
            self._ring()

    def _ring(self) -> None:
        for news in self._watchers:
            news.set()
