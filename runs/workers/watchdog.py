"""The watchdog: a native call of the engine that ignores its interrupt cannot be stopped from inside, so the run is
failed in the database, the other residents are handed back, and the process ends.
"""

import logging
import os
import threading
import time
from collections.abc import Callable

from runs import queue
from runs.codes import Code
from runs.conf import conf
from runs.workers.resident import Resident

logger = logging.getLogger("runs")
EXIT_CODE = 70
STUCK = "the script is in an engine call that does not stop"


class Watchdog:
    """Looks at all residents twice a second from a daemon thread; the engine runs without the interpreter lock."""

    def __init__(self, residents: Callable[[], list[Resident]]) -> None:
        self._residents = residents
        self._thread: threading.Thread | None = None

    def ensure(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
            self._thread.start()

    def _watch(self) -> None:
        while True:
            time.sleep(0.5)
            for resident in self._residents():
                try:
                    stuck = self._stuck(resident)
                except OSError:  # its thread has just ended
                    continue
                if stuck:
                    self._end(resident)

    def _stuck(self, resident: Resident) -> bool:
        """Far past the fuel on the wall clock: even with all threads busy an honest slice is stopped before."""
        realm = resident.realm
        began = realm.slice_began if realm else None
        if began is None:
            return False
        allowed = conf().fuel_ms / 1000 * 2 + 2
        return time.monotonic() - began > allowed and self._burning(resident)

    def _burning(self, resident: Resident) -> bool:
        """Whether the thread itself has used its fuel: a machine that slept or is overloaded is no offence."""
        used = resident.slice_cpu()
        return used is None or used > conf().fuel_ms / 1000

    def _end(self, resident: Resident) -> None:
        run = resident.run
        logger.error("run %s is in an engine call that cannot be interrupted; ending this worker process", run.pk)
        try:
            resident.fail(Code.FUEL_EXHAUSTED, STUCK)
            queue.release({other.run.pk: other.run.fence for other in self._residents() if other is not resident})
        finally:
            os._exit(EXIT_CODE)
