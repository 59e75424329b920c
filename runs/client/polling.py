"""Following without a socket, where a proxy lets none through or the server is just starting."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from .items import ENDED, Item
from .place import Place
from .transport import Transport

_PAUSE_SECONDS, _PAUSE_PER_RUN = 1.0, 0.25
_PAGE = 500
# What a look compares; the rest of a run's facts changes with these.
_TOLD = ("id", "title", "status", "words", "attempt", "progress")


class Polling:
    """`items` gives what is new in the journals, looking about once a second, until all has ended or so many seconds
    are over. Raises `DaybookError`."""

    def __init__(self, transport: Transport, place: Place) -> None:
        self._transport, self._place = transport, place
        self._scanned: dict[str, int] = {}
        self._known = [place.run_id, *(run_id for run_id in (*place.seqs, *place.runs) if place.tree)]

    async def items(self, seconds: float) -> AsyncGenerator[Item, None]:
        until = time.monotonic() + seconds
        while True:
            async with aclosing(self._look()) as items:
                async for item in items:
                    yield item
            if self._place.over:
                return
            pause = max(_PAUSE_SECONDS, _PAUSE_PER_RUN * len(self._known))
            if time.monotonic() + pause > until:
                return
            await asyncio.sleep(pause)

    async def _look(self) -> AsyncGenerator[Item, None]:
        """One look at each run; children that it finds are looked at too."""
        self._known = list(dict.fromkeys(self._known))
        self._place.begin(0)
        for run_id in self._known:  # which grows meanwhile
            if self._done(run_id):
                continue
            facts = (await self._transport.call("GetRun", {"runId": run_id}))["run"]  # before its entries
            now = {name: facts[name] for name in _TOLD} | {"nextSeq": facts["journal"]["entries"] + 1}
            for item in self._place.changed(self._place.runs.get(run_id, {}) | now):
                yield item
            async with aclosing(self._entries(run_id)) as items:
                async for item in items:
                    yield item

    def _done(self, run_id: str) -> bool:
        """A run that has ended, whose journal was read to its end."""
        run = self._place.runs.get(run_id)
        return run is not None and run["status"] in ENDED and self._scanned.get(run_id, 0) >= run["nextSeq"] - 1

    async def _entries(self, run_id: str) -> AsyncGenerator[Item, None]:
        """In a tree from the first one on, since they name the children."""
        place = self._place
        if not (place.entries or place.tree):
            return
        more = True
        while more:
            after = self._scanned.get(run_id, 0 if place.tree else place.seqs.get(run_id, 0))
            page = await self._transport.call("GetRunJournal", {"runId": run_id, "afterSeq": after, "limit": _PAGE})
            more, entries = page["more"], page["entries"]
            if entries:
                self._scanned[run_id] = entries[-1]["seq"]
            if place.tree:
                self._known += [child for child in map(_child, entries) if child and child not in self._known]
            for item in place.appended(run_id, entries) if place.entries else ():
                yield item


def _child(entry: dict[str, Any]) -> str | None:
    child: str | None = entry.get("childRunId")
    return child
