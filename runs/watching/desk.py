"""A thread of its own, with a database connection of its own, for reading on behalf of the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django import db

T = TypeVar("T")


class Desk:
    """`do` runs work there, one piece after the other, in order of asking; `close` gives the connection back."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, _worked, work)

    def close(self) -> None:
        """After what was asked before; does not wait for it."""
        self._thread.submit(db.connections.close_all)
        self._thread.shutdown(wait=False)


def _worked(work: Callable[[], T]) -> T:
    """A connection that has failed is not used again: a server may have been restarted behind it."""
    try:
        return work()
    except db.Error:
        db.connections.close_all()
        raise
