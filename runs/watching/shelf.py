"""Entries read back for who has missed them: in blocks that are read and encoded once for all sockets, while they are
in demand."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from runs.watching.desk import Desk
from runs.watching.tree import Entry, read_entries

BLOCK = 50  # entries; a block begins at a multiple of it
BYTES_MAX = 16 * 1024 * 1024  # kept of one process, the least recently used goes first
_Place = tuple[str, int]  # run id, number of the block


class Shelf:
    """`entries` gives what a journal holds after a seq, some at a time. `forget` a run whose entries have new marks."""

    def __init__(self, desk: Desk, bytes_max: int = BYTES_MAX) -> None:
        self._desk = desk
        self._bytes_max = bytes_max
        self._blocks: OrderedDict[_Place, list[Entry]] = OrderedDict()
        self._reading: dict[_Place, asyncio.Task[list[Entry]]] = {}
        self.bytes = 0

    async def entries(self, run_id: str, after: int, upto: int) -> list[Entry]:
        """The entries with after < seq <= upto of the block that `after` + 1 lies in; [] where there are none."""
        place = (run_id, (after + 1) // BLOCK)
        needed = min(upto, (place[1] + 1) * BLOCK - 1)
        block = self._blocks.get(place)
        if block is None or block[-1][0] < needed:
            block = await self._read(place, needed)
        else:
            self._blocks.move_to_end(place)
        return [entry for entry in block if after < entry[0] <= upto]

    def forget(self, run_id: str) -> None:
        for place in [place for place in self._blocks if place[0] == run_id]:
            self._drop(place)
        for place in [place for place in self._reading if place[0] == run_id]:
            del self._reading[place]  # who waits for it gets it; it is not kept

    async def _read(self, place: _Place, needed: int) -> list[Entry]:
        """Joins a reading that is out already; one that was begun too early to see `needed` is followed by another.
        Who gives up waiting must not stop it for the others."""
        task = self._reading.get(place)
        if task is not None:
            block = await asyncio.shield(task)
            if block and block[-1][0] >= needed:
                return block
            task = self._reading.get(place)
        if task is None:
            task = self._reading[place] = asyncio.create_task(self._desk.do(_reader(place)))
            task.add_done_callback(lambda done: self._keep(place, done))
        return await asyncio.shield(task)

    def _keep(self, place: _Place, done: "asyncio.Task[list[Entry]]") -> None:
        failed = done.cancelled() or done.exception() is not None
        if self._reading.get(place) is not done:
            return
        del self._reading[place]
        if failed or not (block := done.result()):
            return
        self._drop(place)
        self._blocks[place] = block
        self.bytes += _size(block)
        while self.bytes > self._bytes_max:
            self._drop(next(iter(self._blocks)))

    def _drop(self, place: _Place) -> None:
        self.bytes -= _size(self._blocks.pop(place, []))


def _reader(place: _Place) -> Callable[[], list[Entry]]:
    run_id, number = place
    return lambda: read_entries(run_id, number * BLOCK - 1, (number + 1) * BLOCK - 1)


def _size(block: list[Entry]) -> int:
    return sum(len(text) for _, text in block)
