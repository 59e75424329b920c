"""The loop of the clock: ticks until it is told to stop, and survives a database that is away."""

import logging
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from runs import clock
from runs.vitals.clock import ClockSign

logger = logging.getLogger("runs")
_AWAY_SECONDS = 1  # between two looks at a database that did not answer


class Stopped(BaseException):
    """SIGTERM or SIGINT came. Raised wherever the loop is, since a database that hangs must not hold it up."""


def moved(swept: clock.Swept) -> str:
    """ "woke 3, queued again 1", or "" where nothing moved."""
    words = {
        "woke": swept.woken,
        "queued again": swept.requeued,
        "failed as interrupted": swept.interrupted,
        "failed as too old": swept.timed_out,
        "nudges sent": swept.nudged,
    }
    return ", ".join(f"{what} {count}" for what, count in words.items() if count)


def run_clock(interval: float) -> None:
    """Tick every `interval` seconds until a signal to stop; that the database is away is told once, and its return."""
    away, sign = False, ClockSign(interval)
    with _stoppable():
        while True:
            away = _tick(away)
            if not away:
                sign.looked()
            time.sleep(max(interval, _AWAY_SECONDS) if away else interval)


def _tick(away: bool) -> bool:
    """One look; returns whether the database is away."""
    try:
        close_old_connections()
        swept = clock.tick()
    except (DatabaseError, InterfaceError) as error:
        connections.close_all()
        if not away:
            logger.warning("clock: the database does not answer (%s); trying again", str(error).strip())
        return True
    if away:
        logger.info("clock: the database answers again")
    if words := moved(swept):
        # A queue that nobody comes for is nudged at every look; that alone is no news.
        only_nudged = swept == clock.Swept(nudged=swept.nudged)
        logger.log(logging.DEBUG if only_nudged else logging.INFO, "clock: %s", words)
    return False


@contextmanager
def _stoppable() -> Iterator[None]:
    """Leaves the block without an error at the first SIGTERM or SIGINT."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Stopped

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    except Stopped:
        logger.info("clock: stopped")
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
