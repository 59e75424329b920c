"""A dry replay in a process that serves others too: on a thread of its own, which is left behind where an engine call
does not stop. In a worker the watchdog ends the process for that; a web process, and a terminal, go on."""

import logging
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import Protocol, TypeVar

from django.db import connections

from runs.errors import NotPossible
from runs.realm import Realm
from runs.workers.stuck import stuck

logger = logging.getLogger("runs")
NAME = "dry replay, left behind"
_LOOK_SECONDS = 0.5
_LEFT_MOST = 2  # each burns a core until its call ends


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Replays(Protocol[T_co]):
    """A `Rehearsal`, or a `Verification`."""

    @property
    def realm(self) -> Realm | None: ...

    def stand(self) -> T_co: ...


def stand(rehearsal: Replays[T]) -> T:
    """As `rehearsal.stand`; raises `NotPossible` where an engine call does not stop."""
    if sum(thread.name == NAME for thread in threading.enumerate()) >= _LEFT_MOST:
        raise NotPossible(
            "earlier dry replays are in engine calls that do not stop; try again later, or have this process restarted"
        )
    stood: Future[T] = Future()
    thread = threading.Thread(target=_stand, args=(rehearsal, stood), name="dry replay", daemon=True)
    thread.start()
    while True:
        try:
            return stood.result(_LOOK_SECONDS)
        except NotYet:
            if stuck(rehearsal.realm) and not stood.done():
                break
    thread.name = NAME
    logger.error("a dry replay is in an engine call that cannot be interrupted; its thread is left behind")
    raise NotPossible("the script cannot be replayed: it is in an engine call that does not stop. Give another source.")


def _stand(rehearsal: Replays[T], stood: "Future[T]") -> None:
    try:
        stood.set_result(rehearsal.stand())
    except BaseException as error:  # noqa: BLE001  (told where it is waited for)
        stood.set_exception(error)
    finally:
        connections.close_all()
