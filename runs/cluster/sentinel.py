"""The process that guards the workers: q2's, with every process tied to its parent's life and a deadline for a stop."""

import multiprocessing
import os
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from django_q.cluster import Sentinel, get_mp_context
from django_q.conf import Conf, logger
from django_q.worker import worker

from runs.cluster import stopping
from runs.conf import conf
from runs.supervisor.tether import tether

# What a worker gets beyond the drain of its resident runs before it is killed; their leases end and others resume them.
GRACE_SECONDS = 1.0


def _tethered(parent: int, target: Callable[..., Any], *args: Any) -> None:
    tether(parent)
    target(*args)


class KillSafeSentinel(Sentinel):  # type: ignore[misc]  # q2 publishes no types
    """Started by `Cluster.start` in a child process; runs until the stop event, then until its workers have ended."""

    def start(self) -> None:
        if parent := multiprocessing.parent_process():
            tether(parent.pid or 0)
        stopping.watch(self.stop_event)
        super().start()

    def spawn_process(self, target: Callable[..., Any], *args: Any) -> Any:
        """As q2's, with the child tethered to this process; returns a `multiprocessing.Process`."""
        process = get_mp_context().Process(
            target=_tethered, args=(os.getpid(), target, *args), name=f"Process-{uuid.uuid4().hex}"
        )
        process.daemon = True
        if target == worker:
            process.daemon = Conf.DAEMONIZE_WORKERS
            process.timer = args[2]
            self.pool.append(process)
        process.start()
        return process

    def stop(self) -> None:
        """As q2's, which waits for its processes for ever, but kills those that outlast the drain.

        A worker that has left the queue is still alive while its resident runs drain in other threads: the interpreter
        joins those before the process ends, and q2 waits for the process.
        """
        threading.Thread(target=self._kill_stragglers, name="stragglers", daemon=True).start()
        super().stop()

    def _kill_stragglers(self) -> None:
        time.sleep(conf().drain_seconds + GRACE_SECONDS)
        for process in list(self.pool):
            logger.warning("worker %s did not end in time and is killed; its runs resume elsewhere", process.pid)
            process.kill()
        # Nobody reads what it may be waiting to hand on.
        self.pusher.kill()
        time.sleep(GRACE_SECONDS)
        self.monitor.kill()
