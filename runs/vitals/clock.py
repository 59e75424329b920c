"""The clocks' sign of life, which any process can see.

It lies in the cache, where django-q2's clusters leave theirs: on one host that is a file, with Redis it is seen by all
hosts. In the database it would be a commit every few seconds of a platform that rests, and on SQLite each of them would
wake everybody who watches the database for news. It is for people and health checks alone: nothing is decided by it.
"""

import logging
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from django.core.cache import cache

from runs.workers.identity import worker_name

EVERY_SECONDS = 5
SEEN_SECONDS = 20  # a clock that was silent for longer is not counted as running
_KEPT_SECONDS = 24 * 3600  # and is still told of, for as long
_KEY = "daybook:clocks"
logger = logging.getLogger("runs")


@dataclass(frozen=True, slots=True)
class Clock:
    """`name` is host:pid:node:start of its process; `interval` the seconds between two looks."""

    name: str
    seen: datetime
    interval: float

    @property
    def running(self) -> bool:
        """Whether it was seen lately."""
        return (datetime.now(UTC) - self.seen).total_seconds() < SEEN_SECONDS + self.interval


class ClockSign:
    """Left by a clock that has looked at the database and got an answer; at most every 5 s."""

    def __init__(self, interval: float) -> None:
        self._interval, self._told = interval, float(-EVERY_SECONDS)

    def looked(self) -> None:
        now = time.monotonic()
        if now - self._told < EVERY_SECONDS:
            return
        self._told = now
        tell_of_clock(self._interval)


def tell_of_clock(interval: float) -> None:
    """Two clocks that tell at the same moment may lose one of the two, until they tell again."""
    try:
        told = {name: sign for name, sign in _told().items() if time.time() - sign[0] < _KEPT_SECONDS}
        cache.set(_KEY, told | {worker_name(): (time.time(), interval)}, _KEPT_SECONDS)
    except Exception as error:  # noqa: BLE001  (a cache is whatever was configured, and the clock must go on without)
        logger.warning("clock: left no sign of life, the cache does not answer: %s", error)


def clocks() -> list[Clock]:
    """Those of the last day, the one that was seen last first. Raises what the cache raises when it is away."""
    told = [Clock(name, datetime.fromtimestamp(at, UTC), interval) for name, (at, interval) in _told().items()]
    return sorted(told, key=lambda clock: clock.seen, reverse=True)


def _told() -> dict[str, tuple[float, float]]:
    return cache.get(_KEY) or {}
