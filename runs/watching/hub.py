"""The feeds of one web process. It reads, and asks whether there is something to read, only while somebody watches."""

import asyncio
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from runs.watching.desk import Desk
from runs.watching.feed import Feed
from runs.watching.shelf import Shelf
from runs.watching.tail import Source, source


class Hub:
    """`open` gives the feed of a tree, begun if need be; `let_go` ends it when nobody watches it any more."""

    def __init__(self) -> None:
        self._feeds: dict[str, Feed] = {}
        self._reading: Desk | None = None
        self._catching_up: Desk | None = None
        self._shelf: Shelf | None = None
        self._source: Source | None = None

    def open(self, root_id: str) -> Feed:
        """To be joined before the event loop goes on."""
        if self._source is None:
            self._begin()
        assert self._source
        assert self._reading
        assert self._shelf
        if root_id not in self._feeds:
            self._feeds[root_id] = Feed(root_id, self._reading, self._shelf, self._source.poll)
        return self._feeds[root_id]

    def let_go(self, feed: Feed) -> None:
        if feed.watched or self._feeds.get(feed.root_id) is not feed:
            return
        del self._feeds[feed.root_id]
        feed.stop()
        if not self._feeds:
            self._end()

    def _begin(self) -> None:
        self._reading, self._catching_up = Desk("feeds"), Desk("catching-up")
        self._shelf = Shelf(self._catching_up)
        self._source = source(self._wake)

    def _end(self) -> None:
        assert self._source
        assert self._reading
        assert self._catching_up
        self._source.close()
        self._reading.close()
        self._catching_up.close()
        self._source = self._reading = self._catching_up = self._shelf = None

    def _wake(self, run_ids: Iterable[str] | None) -> None:
        """A new child is not known yet; its parent is, and was written with it."""
        known = None if run_ids is None else set(run_ids)
        for feed in self._feeds.values():
            if known is None or not feed.heads.keys().isdisjoint(known):
                feed.wake()


_hubs: "WeakKeyDictionary[asyncio.AbstractEventLoop, Hub]" = WeakKeyDictionary()


def hub() -> Hub:
    """Of the running event loop; a web process has one."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
