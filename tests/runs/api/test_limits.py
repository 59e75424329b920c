"""Requests are counted: in memory, or in Redis by all web processes together."""

from typing import Any

import pytest
import redis

from runs.api import limits
from runs.api.errors import ApiError

RATE = 5


@pytest.fixture(autouse=True)
def rate(settings: Any) -> None:
    settings.DAYBOOK = settings.DAYBOOK | {"api_rate": RATE}


def taken(of: str, times: int = 2 * RATE) -> int:
    """How many of so many requests are taken."""
    count, waits = 0, []
    for _ in range(times):
        try:
            limits.check_rate(of)
            count += 1
        except ApiError as error:
            waits.append(int(error.headers["Retry-After"]))
    assert all(1 <= wait <= 60 for wait in waits)
    return count


def test_each_has_its_own_number_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "now", lambda: 600.0)
    assert (taken("key a"), taken("key b")) == (RATE, RATE)
    monkeypatch.setattr(limits, "now", lambda: 659.9)
    assert taken("key a") == 0
    monkeypatch.setattr(limits, "now", lambda: 660.0)
    assert taken("key a") == RATE


def test_memory_does_not_grow_with_the_addresses_of_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_KEPT", 100)
    for number in range(1000):
        limits.check_refusals(f"10.0.{number // 250}.{number % 250}")
    assert len(limits._own._counts) <= 101


@pytest.mark.redis
def test_processes_count_together_by_way_of_redis(redis_url: str, settings: Any) -> None:
    settings.REDIS_URL = redis_url
    one, other = limits._Shared(redis_url), limits._Shared(redis_url)
    counted = [each.count("daybook:api:test") for each in (one, other, one)]
    assert counted == [1, 2, 3]
    with redis.Redis.from_url(redis_url) as client:
        assert 0 < client.ttl("daybook:api:test") <= 120
        client.flushdb()
        assert taken("key a", 3) == 3
        (name,) = client.keys("daybook:api:*")
        client.set(name, RATE)
    assert taken("key a") == 0


def test_without_redis_where_there_should_be_one_each_process_counts_for_itself(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    limits._shared.cache_clear()
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert taken("key a") == RATE
    assert caplog.text.count("Redis does not answer") == 1, "it is not asked for each request"
