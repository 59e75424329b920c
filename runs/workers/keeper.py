"""The keeper: one thread per worker process that renews leases, looks for what others ask of the residents, and hands
them over when the process is told to stop.
"""

import logging
import threading
import time

from django.db import connections

from runs import queue, times
from runs.cluster import stopping
from runs.conf import conf
from runs.workers.resident import Resident

logger = logging.getLogger("runs")
_LOOK_SECONDS = 0.5
_IDLE_LOOKS = 6  # it stays for a while after the last resident, since another one mostly comes


class Keeper:
    """Runs while there are residents. Not a daemon: it sees the end of the main thread and starts the hand-over."""

    def __init__(self) -> None:
        self._residents: dict[str, Resident] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._idle = 0
        self._handing_over = False

    def add(self, resident: Resident) -> None:
        with self._lock:
            self._residents[resident.run.pk] = resident
            if self._handing_over:
                resident.release_by(self._deadline())
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._keep, name="keeper")
                self._thread.start()

    def remove(self, resident: Resident) -> None:
        with self._lock:
            if self._residents.get(resident.run.pk) is resident:
                del self._residents[resident.run.pk]

    def residents(self) -> list[Resident]:
        with self._lock:
            return list(self._residents.values())

    def stopping(self) -> bool:
        """Whether this process is to end: its cluster was told so, or its main thread is through."""
        return self._handing_over or stopping.stopping() or not threading.main_thread().is_alive()

    def stop(self) -> None:
        """Hand over every resident within the drain time; what comes later is handed over as well."""
        with self._lock:
            self._handing_over = True
            for resident in self._residents.values():
                resident.release_by(self._deadline())

    def _deadline(self) -> int:
        return int((time.time() + conf().drain_seconds) * 1000)

    def _keep(self) -> None:
        renewed = time.monotonic()
        while self._has_work():
            time.sleep(_LOOK_SECONDS / 5 if self._handing_over else _LOOK_SECONDS)
            if not self._handing_over and self.stopping():
                self.stop()
            try:
                self._look()
                if time.monotonic() - renewed >= conf().renew_seconds:
                    renewed = time.monotonic()
                    self._renew()
            except Exception:
                logger.warning("the keeper could not look; it tries again", exc_info=True)
                connections.close_all()
        connections.close_all()

    def _has_work(self) -> bool:
        with self._lock:
            self._idle = 0 if self._residents else self._idle + 1
            if self._idle < (1 if self._handing_over else _IDLE_LOOKS):
                return True
            self._thread = None
            return False

    def _renew(self) -> None:
        residents, asked = {resident.run.pk: resident for resident in self.residents()}, times.steady()
        for run_id in queue.renew({run_id: resident.run.fence for run_id, resident in residents.items()}):
            residents[run_id].lease.renewed(asked)

    def _look(self) -> None:
        residents = {resident.run.pk: resident for resident in self.residents()}
        if not residents:
            return
        held = {run_id: resident.run.fence for run_id, resident in residents.items()}
        for run_id, standing in queue.standing(held).items():
            if not standing.held:
                residents[run_id].lose()
            elif standing.cancel is not None:
                residents[run_id].cancel(standing.cancel)
        for run_id, newest in queue.mail(residents).items():
            residents[run_id].mail(newest)
