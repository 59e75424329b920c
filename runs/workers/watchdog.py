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
from runs.workers.resident import Resident
from runs.workers.stuck import stuck

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
                if stuck(resident.realm):
                    self._end(resident)

    def _end(self, resident: Resident) -> None:
        run = resident.run
        logger.error("run %s is in an engine call that cannot be interrupted; ending this worker process", run.pk)
        try:
            resident.fail(Code.FUEL_EXHAUSTED, STUCK)
            queue.release({other.run.pk: other.run.fence for other in self._residents() if other is not resident})
        finally:
            os._exit(EXIT_CODE)
