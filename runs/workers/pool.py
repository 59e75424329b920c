"""The runs resident in this process: each on a thread of its own, which takes the next runnable run when it is done."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from django.db import DatabaseError, InterfaceError, close_old_connections, connection, connections

from runs import nudges, queue
from runs.conf import conf
from runs.models import Run
from runs.workers.identity import worker_name
from runs.workers.keeper import Keeper
from runs.workers.resident import Resident
from runs.workers.watchdog import Watchdog

logger = logging.getLogger("runs")
_FEED_SECONDS = 2  # how long one nudge keeps claiming before it hands on: other tasks of the cluster wait meanwhile
_LINGER_SECONDS = (0.01, 0.02, 0.04, 0.08)  # between looks, after one that has found nothing
_IDLE_SECONDS = 5  # a thread without a run stays so long: to open its connection again costs more than a short run
_GLANCE_SECONDS = 0.2  # how often one that waits sees whether the process is to stop
_CHECK_SECONDS = 1  # how often a thread makes sure of its connection
_THREAD_STACK = 16 * 1024 * 1024  # the engine's stack limit must be met before the thread's


def start_thread(advance: Callable[[Run], None], run: Run, *, daemon: bool = False) -> None:
    """A thread for one run, with room for the engine."""
    before = threading.stack_size(_THREAD_STACK)
    try:
        threading.Thread(target=advance, args=[run], name=f"run-{run.pk}", daemon=daemon).start()
    finally:
        threading.stack_size(before)


@dataclass(slots=True, eq=False)
class _Idle:
    """A thread without a run, and the one that it gets."""

    woken: threading.Condition
    run: Run | None = None


class Pool:
    """`feed` is what a nudge does. Threads are not daemons: the process waits until each has ended or handed over.

    One claim at a time, for all free slots together: whoever has become free meanwhile is served by the next one, so
    that the busier a worker is the fewer claims a run costs.
    """

    def __init__(self) -> None:
        self.keeper = Keeper()
        self._watchdog = Watchdog(self.keeper.residents)
        self._worker = worker_name()
        self._lock = threading.Lock()  # guards what follows
        self._room = threading.Condition(self._lock)  # a slot is free, or a claim is over
        self._busy = 0  # slots: of runs, and of those that a claim under way may bring
        self._idle: list[_Idle] = []  # threads without a run; the last one has the warmest connection
        self._claiming = False
        self._again = False  # a slot has become free that no claim has been made for
        self._claimed = 0  # so far

    def feed(self, seconds: float = _FEED_SECONDS) -> int:
        """Claim what is runnable into the free slots; returns how many were claimed.

        It stays for a moment after the last one, and at most `seconds`, so that runs that are started one after the
        other cost one nudge. With no slot free it passes the nudge on, so that an idle worker gets it, and waits for
        room.
        """
        found, lingered, before, passed_on = 0, 0, self._claimed, False
        until = time.monotonic() + seconds
        while not self.keeper.stopping():
            last = lingered == len(_LINGER_SECONDS) or time.monotonic() >= until
            (nudges.asleep if last else nudges.awake)()
            # A read is cheaper than a claim in vain.
            if (more := self._look() if queue.runnable() else 0) is None:
                nudges.asleep()
                if not passed_on:
                    passed_on = True
                    nudges.send()
                if not self._wait_for_room(until):
                    return found
                continue
            found += more
            if self._claimed != before:
                lingered, before = 0, self._claimed
            elif last:
                return found
            else:
                time.sleep(_LINGER_SECONDS[lingered])
                lingered += 1
        nudges.asleep()
        if queue.runnable():
            nudges.send()  # who has seen that this one was awake has not nudged
        return found

    def _look(self) -> int | None:
        """Claim into the slots that are free, and hand on to threads: how many, or None where no slot is free."""
        with self._lock:
            self._room.wait_for(lambda: not self._claiming)
            self._claiming, self._again = True, False
        found = 0
        try:
            if free := self._take(conf().slots):
                found = self._fill(free)
        finally:
            with self._lock:
                self._claiming = False
                self._claimed += found
                self._room.notify_all()
                if self._again and self._idle:
                    self._idle[-1].woken.notify()
        return found if free else None

    def _fill(self, free: int) -> int:
        """Claim up to `free` runs into slots taken for them; what is not used is given back, whatever happens."""
        used = 0
        runs: list[Run] = []
        try:
            runs = queue.claim(self._worker, free)
            for run in runs:
                self._hand(run)
                used += 1
        finally:
            self._give_back(free - used)
            if left := runs[used:]:
                queue.release({run.pk: run.fence for run in left})
        return used

    def _hand(self, run: Run) -> None:
        """To a thread that waits for a run, or to a new one."""
        with self._lock:
            idle = self._idle.pop() if self._idle else None
            if idle is not None:
                idle.run = run
                idle.woken.notify()
        if idle is None:
            self._spawn(run)

    def _wait_for_room(self, until: float) -> bool:
        """Whether a slot is free by then."""
        with self._lock:
            while self._busy >= conf().slots and time.monotonic() < until and not self.keeper.stopping():
                self._room.wait(timeout=_GLANCE_SECONDS)
            return self._busy < conf().slots

    def _take(self, slots: int) -> int:
        with self._lock:
            free = max(0, slots - self._busy)
            self._busy += free
            return free

    def _give_back(self, count: int) -> None:
        with self._lock:
            self._busy -= count
            self._room.notify_all()

    def _spawn(self, run: Run) -> None:
        self._watchdog.ensure()
        start_thread(self._live, run)

    def _live(self, run: Run) -> None:
        checked = time.monotonic()
        try:
            following: Run | None = run
            while following is not None:
                try:
                    self.advance(following)
                finally:
                    self._give_back(1)
                if connection.errors_occurred or time.monotonic() - checked > _CHECK_SECONDS:
                    close_old_connections()
                    checked = time.monotonic()
                following = self._next()
        finally:
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
        """The next run for this thread, which has just become free; None when none came for a while."""
        idle, until = _Idle(threading.Condition(self._lock)), time.monotonic() + _IDLE_SECONDS
        with self._lock:
            self._idle.append(idle)
            self._again = True
        try:
            while not self._waited(idle, until):
                self._look()
        except (DatabaseError, InterfaceError):
            logger.warning("the database does not answer; a nudge brings this worker back", exc_info=True)
        with self._lock:
            if idle.run is None:
                self._idle.remove(idle)
                if self._again and self._idle:
                    self._idle[-1].woken.notify()  # what has woken this thread was for any of them
            return idle.run

    def _waited(self, idle: _Idle, until: float) -> bool:
        """False where this thread is to look itself; True when it has a run, when time is up, or on a stop."""
        with self._lock:
            while idle.run is None and time.monotonic() < until and not self.keeper.stopping():
                if self._again and not self._claiming:
                    return False
                idle.woken.wait(timeout=_GLANCE_SECONDS)
        return True


@cache
def pool() -> Pool:
    """The pool of this process; made in the worker, after q2 has forked it."""
    return Pool()
