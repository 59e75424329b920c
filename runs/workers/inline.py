"""One run and its tree in this process, without workers or clock: claimed, advanced on a thread of its own, woken when
due. One run of the tree at a time.

The main thread stays free for the keyboard: told to stop, it has the keeper hand the run over, as a worker would.
"""

import threading
import time
from typing import Any

from django.db import connections, transaction
from django.db.models import Min, Q
from django.utils import timezone

from runs import clock, queue
from runs.codes import Code
from runs.lifecycle import TERMINAL, Status
from runs.models import Run
from runs.starting import Started, start
from runs.workers.identity import worker_name
from runs.workers.keeper import Keeper
from runs.workers.pool import Pool, start_thread
from runs.workers.resident import Resident
from runs.workers.watchdog import STUCK, Watchdog


class Inline:
    """`start` queues and claims in one transaction, so that no worker is faster; then `tend` it until it has ended.

    A worker may still get the run after a park, where workers are running; `tend` then waits for it.
    """

    def __init__(self) -> None:
        self._pool = Pool()
        self._worker = worker_name()
        self._idle = threading.Event()
        self._idle.set()
        self._watchdog = _Watchdog(self._pool.keeper, self._idle)

    def start(self, source: str, **fields: Any) -> Started:
        """As `runs.starting.start`, and begins to advance the run, also one that the key has started before."""
        with transaction.atomic():
            started = start(source, **fields)
            held = self._claim(started.run.pk)
        self._begin(held)
        return started

    def tend(self, run_id: str, seconds: float) -> None:
        """Do what the run and its children need to go on, and wait for it at most `seconds`."""
        if not self._idle.wait(seconds):
            return
        run = Run.objects.only("status", "root_id").get(pk=run_id)
        if run.is_terminal:
            return
        now = timezone.now()
        tree = Run.objects.filter(root_id=run.root_id).exclude(status__in=TERMINAL)
        ready = tree.filter(Q(status=Status.QUEUED) | Q(wake_at__lte=now)).order_by("queued_at").first()
        if ready is not None:
            with transaction.atomic():
                queue.wake([ready.pk])
                held = self._claim(ready.pk)
            self._begin(held)
            if held is None:
                time.sleep(seconds)  # a worker was faster, or it waits for a place among those of its key
            return
        if tree.filter(Q(status=Status.RUNNING) | Q(deadline_at__lte=now)).exists():
            clock.tick()  # a holder may be dead, or the time of one over
        wake_at = tree.aggregate(first=Min("wake_at"))["first"]
        time.sleep(min((wake_at - now).total_seconds(), seconds) if wake_at else seconds)

    def finish(self) -> None:
        """Wait until what still runs after the run's end has been recorded."""
        self._idle.wait()

    def stop(self) -> None:
        """Hand the run over: it parks, or is queued for whoever claims it next, within the drain time."""
        self._pool.keeper.stop()
        self._idle.wait()

    def _claim(self, run_id: str) -> Run | None:
        return next(iter(queue.claim(self._worker, only=run_id)), None)

    def _begin(self, run: Run | None) -> None:
        if run is None:
            return
        self._idle.clear()
        self._watchdog.ensure()
        # A daemon: one that is stuck in the engine must not keep the process from ending.
        start_thread(self._advance, run, daemon=True)

    def _advance(self, run: Run) -> None:
        try:
            self._pool.advance(run)
        finally:
            connections.close_all()
            self._idle.set()


class _Watchdog(Watchdog):
    """Fails a run whose engine call does not stop, and leaves its thread behind: this process serves no other run."""

    def __init__(self, keeper: Keeper, idle: threading.Event) -> None:
        super().__init__(keeper.residents)
        self._keeper = keeper
        self._idle = idle

    def _end(self, resident: Resident) -> None:
        try:
            resident.fail(Code.FUEL_EXHAUSTED, STUCK)
        finally:
            connections.close_all()
            self._keeper.remove(resident)
            self._idle.set()
