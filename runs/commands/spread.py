"""Replays of many runs, by several processes where that was asked for: a replay is CPU alone. A few chunks are out at a
time, and what they came to is told in the order of the ids."""

import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from runs.commands import process
from runs.commands.several import chunks
from runs.errors import NotPossible
from runs.operations.verifying import Verified, verify_all

CHUNK = 50  # runs


def verified(ids: Iterator[str], processes: int) -> Iterator[list[Verified]]:
    """A list for each chunk. Raises `NotPossible` where a process has died. Interrupted, it leaves none behind."""
    if processes == 1:
        yield from map(verify_all, chunks(ids, CHUNK))
        return
    # New processes, not copies of this one: a connection to the database must not be in two.
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=process.begin)
    try:
        yield from _in_order(pool, ids, 2 * processes)
    except BrokenProcessPool:
        raise NotPossible("a process that replayed runs has died; go on with --after, or with one process") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ProcessPoolExecutor, ids: Iterator[str], out_most: int) -> Iterator[list[Verified]]:
    out: deque[Future[list[Verified]]] = deque()
    for chunk in chunks(ids, CHUNK):
        out.append(pool.submit(process.verify, chunk))
        if len(out) >= out_most:
            yield out.popleft().result()
    while out:
        yield out.popleft().result()
