"""One socket's subscription to one tree: a place in the feed's window, and a cursor per run.

It sends what the window holds. Where it has fallen out of the window it says that it is behind and reads what is
missing from the database, by its cursors. An entry is sent only as the one after the cursor of its run; so there is no
gap and nothing twice, whatever becomes of the window.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from django import db

from runs.watching.feed import Feed, Notice
from runs.watching.protocol import RefusedFrame, Subscribe, append_frame, frame, now_ms
from runs.watching.tree import Append, Change, parts

logger = logging.getLogger("runs.watching")
_AGAIN_SECONDS = 2.0


class Subscription:
    """`run` sends until it is cancelled; then, or when it fails, it has to `leave`."""

    def __init__(self, asked: Subscribe, feed: Feed, send: Callable[[str], Awaitable[None]]) -> None:
        self._asked, self._feed, self._send = asked, feed, send
        self._cursors = dict(asked.after)
        self._versions: dict[str, int] = {}
        self._news = asyncio.Event()
        self._place = 0
        feed.join(self._news)

    def leave(self) -> None:
        """No more frames are wanted; the feed may end when nobody wants any."""
        self._feed.leave(self._news)

    async def _check(self) -> None:
        """Raises `RefusedFrame` where it names runs of another tree, or entries that are not there.

        Another web process may have told the client more than this one has read, so the database is read first.
        """
        await self._feed.look()
        if self._feed.deleted:
            raise RefusedFrame("unknown-run", f"run {self._feed.root_id} was deleted", self._asked.key)
        heads = self._feed.heads
        if foreign := sorted((self._asked.after.keys() | (self._asked.journals or frozenset())) - heads.keys()):
            words = f"run {foreign[0]} is not in this tree"
            raise RefusedFrame("not-in-tree", words, self._asked.key, {"runs": foreign})
        for run_id, seq in self._asked.after.items():
            if seq > heads[run_id]:
                raise RefusedFrame(
                    "ahead-of-journal",
                    f"the journal of run {run_id} ends at {heads[run_id]}, before {seq}; subscribe without afterSeq",
                    self._asked.key,
                    {"runId": run_id, "lastSeq": heads[run_id]},
                )
        if self._asked.last is not None:
            for run_id, head in heads.items():
                self._cursors[run_id] = max(self._cursors.get(run_id, 0), head - self._asked.last)

    async def run(self) -> None:
        """Ends when the tree is deleted. Raises `RefusedFrame`, before anything is sent, where what was asked for is
        not there."""
        await self._check()
        await self._send(frame("subscribed", key=self._asked.key, at=now_ms(), runs=len(self._feed.heads)))
        await self._catch_up()
        while True:
            await self._follow()
            if self._feed.deleted:
                await self._send(self._feed.deleted)
                return
            await self._news.wait()
            self._news.clear()

    async def _follow(self) -> None:
        """Send what the window holds."""
        while True:
            if self._feed.lost(self._place):
                await self._send(frame("behind", key=self._asked.key))
                await self._catch_up()
            elif (item := self._feed.item(self._place)) is None:
                return
            else:
                self._place += 1
                await self._pass(item)

    async def _catch_up(self) -> None:
        """Send what the database holds up to the present end of the window, and go on from there."""
        self._place = self._feed.end
        heads, changes = dict(self._feed.heads), list(self._feed.changes.values())
        for change in changes:
            await self._pass(change)
        for run_id, head in heads.items():
            await self._read_up(run_id, head)

    async def _pass(self, item: "Change | Append | Notice") -> None:
        match item:
            case Change(run_id, version, text):
                if version > self._versions.get(run_id, 0):
                    self._versions[run_id] = version
                    await self._send(text)
            case Append(run_id, first, last, text):
                if self._wants(run_id) and first == self._cursors.get(run_id, 0) + 1:
                    self._cursors[run_id] = last
                    await self._send(text)
                else:
                    await self._read_up(run_id, last)
            case Notice():
                await self._send(item.text)

    async def _read_up(self, run_id: str, upto: int) -> None:
        """Send the entries from the cursor to `upto`, if there are any."""
        while self._wants(run_id) and (cursor := self._cursors.get(run_id, 0)) < upto:
            try:
                entries = await self._feed.entries(run_id, cursor, upto)
            except db.Error:
                logger.warning("entries of run %s cannot be read; trying again", run_id, exc_info=True)
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            for part in parts(entries):
                self._cursors[run_id] = part[-1][0]
                await self._send(append_frame(self._asked.key, run_id, [text for _, text in part]))
            if not entries:
                self._cursors[run_id] = upto

    def _wants(self, run_id: str) -> bool:
        return self._asked.journals is None or run_id in self._asked.journals
