"""Threads for the tools of one worker process: started on demand, kept for a while, never waited for at exit.

`concurrent.futures` joins its threads when the interpreter ends: a tool that hangs would keep a worker from stopping.
"""

import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from django.db import close_old_connections, connections

logger = logging.getLogger("runs")
_IDLE_SECONDS = 10
Task = tuple[Callable[[], None], threading.Event]
_LIMIT = 64


class Threads:
    """`submit` runs `work` on an idle thread or a new one, up to `limit` threads that are of use; beyond that it waits.

    A thread whose work was given up (its run has stopped waiting) counts no longer: tools that hang for ever must not
    take all places.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: SimpleQueue[Task] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = self._queued = 0
        self._at_work: dict[int, threading.Event] = {}  # by thread; its task's `given_up`

    def submit(self, work: Callable[[], None], given_up: threading.Event) -> None:
        with self._lock:
            self._waiting.put((work, given_up))
            self._queued += 1
            useful = self._idle + sum(not event.is_set() for event in self._at_work.values())
            if self._idle >= self._queued or useful >= self._limit:
                return
            self._idle += 1  # the new thread, until it has taken its first task
        threading.Thread(target=self._serve, name="tool", daemon=True).start()

    def _serve(self) -> None:
        try:
            while (task := self._next()) is not None:
                try:
                    task[0]()
                except BaseException:
                    logger.exception("a tool thread failed")
                finally:
                    close_old_connections()
                    with self._lock:
                        del self._at_work[threading.get_ident()]
                        self._idle += 1
        finally:
            connections.close_all()

    def _next(self) -> Task | None:
        """The next task, or None to end; the thread counts as idle until it has one."""
        try:
            task = self._waiting.get(timeout=_IDLE_SECONDS)
        except Empty:
            with self._lock:
                try:
                    task = self._waiting.get_nowait()  # put between the time-out and the lock
                except Empty:
                    self._idle -= 1
                    return None
        with self._lock:
            self._idle -= 1
            self._queued -= 1
            self._at_work[threading.get_ident()] = task[1]
        return task


THREADS = Threads(_LIMIT)  # of this process, for its tools and agents
