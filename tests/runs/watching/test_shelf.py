"""Entries that are read back: each block once for all, and no more of them kept than there is room for."""

import asyncio
from collections.abc import Callable
from typing import Any

from runs.watching.shelf import BLOCK, Shelf
from runs.watching.tree import Entry


class Counting:
    """A desk whose database holds `length` entries of ten characters."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.readings = 0
        self.free = asyncio.Event()
        self.free.set()

    async def do(self, _work: Callable[[], list[Entry]]) -> list[Entry]:
        self.readings += 1
        length = self.length
        await self.free.wait()
        return [(seq, "x" * 10) for seq in range(1, min(length, BLOCK - 1) + 1)]


def alone(work: Callable[[], Any]) -> Any:
    return asyncio.run(work())


def test_many_who_miss_the_same_read_it_once() -> None:
    async def work() -> int:
        desk = Counting(20)
        shelf = Shelf(desk)  # type: ignore[arg-type]
        found = await asyncio.gather(*(shelf.entries("r", after, 20) for after in range(10)))
        assert [entries[0][0] for entries in found] == list(range(1, 11))
        assert all(entries[-1][0] == 20 for entries in found)
        await shelf.entries("r", 5, 10)
        return desk.readings

    assert alone(work) == 1


def test_a_block_that_has_grown_is_read_again() -> None:
    async def work() -> None:
        desk = Counting(20)
        shelf = Shelf(desk)  # type: ignore[arg-type]
        await shelf.entries("r", 0, 20)
        desk.length = 30
        assert [seq for seq, _ in await shelf.entries("r", 20, 30)] == list(range(21, 31))
        assert desk.readings == 2

    alone(work)


def test_what_is_forgotten_while_it_is_read_is_not_kept() -> None:
    async def work() -> None:
        desk = Counting(20)
        shelf = Shelf(desk)  # type: ignore[arg-type]
        desk.free.clear()
        reading = asyncio.create_task(shelf.entries("r", 0, 20))
        await asyncio.sleep(0)
        shelf.forget("r")
        desk.free.set()
        await reading
        assert shelf.bytes == 0
        await shelf.entries("r", 0, 20)
        assert desk.readings == 2

    alone(work)


def test_who_gives_up_does_not_stop_it_for_others() -> None:
    async def work() -> None:
        desk = Counting(20)
        shelf = Shelf(desk)  # type: ignore[arg-type]
        desk.free.clear()
        first, second = (asyncio.create_task(shelf.entries("r", 0, 20)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        desk.free.set()
        assert len(await second) == 20
        assert desk.readings == 1

    alone(work)


def test_it_keeps_no_more_than_it_may() -> None:
    async def work() -> None:
        desk = Counting(20)
        shelf = Shelf(desk, bytes_max=500)  # type: ignore[arg-type]
        for run_id in ("a", "b", "c", "d"):
            await shelf.entries(run_id, 0, 20)
        assert shelf.bytes == 400
        await shelf.entries("d", 0, 20)
        assert desk.readings == 4
        await shelf.entries("a", 0, 20)
        assert desk.readings == 5

    alone(work)
