"""Guessing passwords is slow: by address, by name, and without locking anybody out."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases.together import together
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.redis import RedisCache
from django.test import Client
from helpers import House

from config import signing_in
from config.counting import CountingFiles

pytestmark = pytest.mark.django_db
SECRET = "a long enough secret"


class Clock:
    """Stands at the begin of a window until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000 * signing_in.SECONDS + 10

    def time(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    caches[signing_in.CACHE].clear()
    clock = Clock()
    monkeypatch.setattr(signing_in, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def _ada(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    User.objects.create_user("ada", password=SECRET, is_staff=True)


def tried(name: str = "ada", password: str = "wrong", address: str = "192.0.2.1", path: str = "/login/") -> int:
    """The status: 200 is the form again, 302 signed in, 429 too many."""
    return Client(REMOTE_ADDR=address).post(path, {"username": name, "password": password}).status_code


def addresses() -> Any:
    return (f"198.51.{number // 250}.{number % 250 + 1}" for number in itertools.count())


def test_after_five_failures_not_even_the_right_password_is_looked_at(clock: Clock) -> None:
    assert [tried() for _ in range(6)] == [200] * 5 + [429]
    assert tried(password=SECRET) == 429
    assert tried(name="ADA") == 429
    clock.now += signing_in.SECONDS
    assert tried(password=SECRET) == 302


def test_it_is_said_in_words_and_in_seconds() -> None:
    for _ in range(5):
        tried()
    answer = Client(REMOTE_ADDR="192.0.2.1").post("/login/", {"username": "ada", "password": SECRET})
    assert answer.headers["Retry-After"] == "290"
    assert "Try again in 5 minutes" in answer.content.decode()
    assert "Content-Security-Policy" in answer.headers


def test_the_admins_own_form_counts_too() -> None:
    assert [tried(path="/admin/login/") for _ in range(6)] == [200] * 5 + [429]
    assert tried(password=SECRET) == 429


def test_who_signs_in_begins_anew() -> None:
    for _ in range(3):
        assert [tried() for _ in range(4)] == [200] * 4
        assert tried(password=SECRET) == 302


def test_strangers_do_not_lock_anybody_out() -> None:
    places = addresses()
    for _ in range(30):
        address = next(places)
        assert [tried(address=address) for _ in range(6)][-1] == 429
    assert tried(password=SECRET) == 302


def test_many_machines_have_one_attempt_each_at_a_name_that_many_try() -> None:
    places = addresses()
    for _ in range(signing_in.OF_NAME):
        assert tried(address=next(places)) == 200
    address = next(places)
    assert [tried(address=address), tried(address=address)] == [200, 429]
    assert tried("ben", address=next(places)) == 200
    assert [tried("ben", address=address), tried("ben", address=address)] == [200, 200]


def test_one_address_has_fifty_failures_for_all_names_together() -> None:
    assert {tried(f"user{number}") for number in range(50)} == {200}
    assert tried(password=SECRET) == 429
    assert tried(password=SECRET, address="192.0.2.2") == 302


def test_who_knows_their_password_does_not_use_up_their_address() -> None:
    assert {tried(password=SECRET) for _ in range(60)} == {302}


def test_an_address_of_ipv6_is_the_half_that_one_customer_has() -> None:
    assert [tried(address=f"2001:db8::{number}") for number in range(6)] == [200] * 5 + [429]
    assert tried(address="2001:db8:0:1::1") == 200


def test_what_a_visitor_says_of_where_they_come_from_counts_behind_a_trusted_proxy_alone(settings: Any) -> None:
    def tried_from(said: str, address: str = "10.0.0.7") -> int:
        client = Client(REMOTE_ADDR=address, headers={"x-forwarded-for": said})
        return client.post("/login/", {"username": "ada", "password": "wrong"}).status_code

    assert [tried_from(f"192.0.2.{number}") for number in range(6)] == [200] * 5 + [429]
    settings.DAYBOOK = {"proxies": ("10.0.0.0/24",)}
    assert [tried_from(f"{number}.1.1.1, 192.0.2.9, 10.0.0.8") for number in range(6)] == [200] * 5 + [429]
    assert tried_from("192.0.2.10") == 200


def test_a_command_that_checks_a_password_is_not_limited() -> None:
    assert [authenticate(username="ada", password="wrong") for _ in range(9)] == [None] * 9
    assert authenticate(username="ada", password=SECRET)


def test_a_cache_that_is_away_keeps_nobody_from_signing_in(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    away = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"counters": away}
    assert [tried() for _ in range(7)] == [200] * 7
    assert tried(password=SECRET) == 302
    assert "the cache does not answer" in caplog.text


def test_too_many_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(20):
        tried()
    assert caplog.text.count("too many attempts to sign in as 'ada' from 192.0.2.1") == 1


def counted_by_five(cache: Callable[[], BaseCache]) -> list[int]:
    """What each of a hundred counts came to, by five at once."""
    found: list[int] = []

    def count() -> None:
        own = cache()
        for _ in range(20):
            own.add("key", 0)
            found.append(own.incr("key"))
        own.close()

    together(*[count] * 5)
    return found


def test_many_at_once_are_all_counted(tmp_path: Path) -> None:
    """In files, where Django's cache would lose some."""
    found = counted_by_five(lambda: CountingFiles(str(tmp_path), {}))
    assert sorted(found) == list(range(1, 101))


@pytest.mark.redis
def test_many_at_once_are_all_counted_in_redis_too(redis_url: str) -> None:
    found = counted_by_five(lambda: RedisCache(redis_url, {}))
    assert sorted(found) == list(range(1, 101))


def test_processes_count_together(house: House) -> None:
    ask = (
        "from config.signing_in import Attempt, TooManyAttemptsError\n"
        "def tried():\n"
        "    try: Attempt('ada', '192.0.2.1', 7).begin()\n"
        "    except TooManyAttemptsError: return 429\n"
        "    return 200\n"
        "answer([tried() for _ in range(3)])"
    )
    assert house.shell(ask) == [200] * 3
    assert house.shell(ask) == [200, 200, 429]
