"""The runs resident in this process: each on a thread of its own, which takes the next runnable run when it is done."""

import logging
import threading
import time
from collections.abc import Callable
from functools import cache

from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from runs import nudges, queue
from runs.conf import conf
from runs.models import Run
from runs.workers.identity import worker_name
from runs.workers.keeper import Keeper
from runs.workers.resident import Resident
from runs.workers.watchdog import Watchdog

logger = logging.getLogger("runs")
_FEED_SECONDS = 10  # how long one nudge keeps claiming before it hands on
_THREAD_STACK = 16 * 1024 * 1024  # the engine's stack limit must be met before the thread's


def start_thread(advance: Callable[[Run], None], run: Run, *, daemon: bool = False) -> None:
    """A thread for one run, with room for the engine."""
    before = threading.stack_size(_THREAD_STACK)
    try:
        threading.Thread(target=advance, args=[run], name=f"run-{run.pk}", daemon=daemon).start()
    finally:
        threading.stack_size(before)


class Pool:
    """`feed` is what a nudge does. Threads are not daemons: the process waits until each has ended or handed over."""

    def __init__(self) -> None:
        self.keeper = Keeper()
        self._watchdog = Watchdog(self.keeper.residents)
        self._worker = worker_name()
        self._room = threading.Condition()
        self._busy = 0

    def feed(self, seconds: float = _FEED_SECONDS) -> int:
        """Claim what is runnable into the free slots; returns how many were claimed.

        With no slot free it passes the nudge on, so that an idle worker gets it, and waits at most `seconds` for room.
        """
        claimed = 0
        until = time.monotonic() + seconds
        while not self.keeper.stopping() and time.monotonic() < until and queue.runnable():
            free = self._take(conf().slots)
            if free:
                spawned = self._fill(free)
                claimed += spawned
                if spawned < free:
                    break
                nudges.send()  # full, and perhaps more is queued: let another worker look too
            elif claimed:
                break  # the threads go on from here
            else:
                nudges.send()
                self._wait_for_room(until)
                break
        return claimed

    def _fill(self, free: int) -> int:
        """Claim up to `free` runs into slots taken for them; what is not used is given back, whatever happens."""
        spawned = 0
        runs: list[Run] = []
        try:
            runs = queue.claim(self._worker, free)
            for run in runs:
                self._spawn(run)
                spawned += 1
        finally:
            self._give_back(free - spawned)
            if left := runs[spawned:]:
                queue.release({run.pk: run.fence for run in left})
        return spawned

    def _wait_for_room(self, until: float) -> None:
        with self._room:
            while self._busy >= conf().slots and time.monotonic() < until and not self.keeper.stopping():
                self._room.wait(timeout=0.2)

    def _take(self, slots: int) -> int:
        with self._room:
            free = max(0, slots - self._busy)
            self._busy += free
            return free

    def _give_back(self, count: int) -> None:
        with self._room:
            self._busy -= count
            self._room.notify_all()

    def _spawn(self, run: Run) -> None:
        self._watchdog.ensure()
        start_thread(self._live, run)

    def _live(self, run: Run) -> None:
        try:
            following: Run | None = run
            while following is not None:
                self.advance(following)
                close_old_connections()
                following = self._next()
        finally:
            self._give_back(1)
            connections.close_all()

    def advance(self, run: Run) -> None:
        """Advance one claimed run on this thread, its lease kept."""
        resident = Resident(run)
        self.keeper.add(resident)
        try:
            resident.advance()
        finally:
            self.keeper.remove(resident)

    def _next(self) -> Run | None:
        try:
            if self.keeper.stopping() or not queue.runnable():
                return None
            return next(iter(queue.claim(self._worker)), None)
        except (DatabaseError, InterfaceError):
            logger.warning("the database does not answer; a nudge brings this worker back", exc_info=True)
            return None


@cache
def pool() -> Pool:
    """The pool of this process; made in the worker, after q2 has forked it."""
    return Pool()
