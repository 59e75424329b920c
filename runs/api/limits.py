"""How many requests a minute: of a key or token, and of refused ones from one place (see `runs.visitors`).

Counted per minute of the clock: by Redis, where there is one, for all web processes together; else by each for itself.
What has the right credentials is never refused for what others have sent from the same place.
"""

import logging
from collections import Counter
from functools import cache
from threading import Lock
from time import monotonic
from time import time as now

import redis
from django.conf import settings

from runs.api.errors import ApiError
from runs.conf import conf

log = logging.getLogger("runs.api")
MINUTE = 60
REFUSALS = 60  # of one place in a minute are told apart and logged
_WAIT = 0.5  # seconds for Redis, which is on the way of each request
_AWAY = 5  # seconds
_KEPT = 100_000  # counters of a minute in memory


def check_rate(credential: str) -> None:
    """Counts a request of that key or token; raises `ApiError` where there were too many."""
    if _count(credential) > conf().api_rate:
        raise _too_many(f"more than {conf().api_rate} requests in a minute with this key or token")


def check_refusals(place: str) -> None:
    """Counts a request that is about to be refused for who it is from; raises `ApiError` where there were too many."""
    if _count(f"from {place}") > REFUSALS:
        raise _too_many("too many requests with wrong signatures or tokens from your address")


def _too_many(message: str) -> ApiError:
    wait = MINUTE - int(now()) % MINUTE
    return ApiError("rate-limited", f"{message}; wait {wait} s", headers={"Retry-After": str(wait)})


def _count(what: str) -> int:
    minute = int(now()) // MINUTE
    shared = _shared(settings.REDIS_URL).count(f"daybook:api:{minute}:{what}") if settings.REDIS_URL else None
    return _own.count(minute, what) if shared is None else shared


class _Shared:
    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url, socket_timeout=_WAIT, socket_connect_timeout=_WAIT)
        self._away_until = 0.0

    def count(self, name: str) -> int | None:
        """None while Redis does not answer; it is then left alone for a while, as each request would wait."""
        if monotonic() < self._away_until:
            return None
        both = self._client.pipeline()
        both.incr(name)
        both.expire(name, 2 * MINUTE)
        try:
            return int(both.execute()[0])
        except redis.RedisError as error:
            self._away_until = monotonic() + _AWAY
            log.warning("Redis does not answer, so requests are counted in this process: %s", error)
            return None


@cache
def _shared(url: str) -> _Shared:
    return _Shared(url)


class _Own:
    def __init__(self) -> None:
        self._lock, self._minute, self._counts = Lock(), 0, Counter[str]()

    def count(self, minute: int, what: str) -> int:
        with self._lock:
            if minute != self._minute or len(self._counts) > _KEPT:
                self._minute = minute
                self._counts.clear()
            self._counts[what] += 1
            return self._counts[what]


_own = _Own()
