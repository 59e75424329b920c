"""How often somebody may try to sign in: guessing passwords is slow, and nobody is locked out by strangers.

Failures are counted for five minutes of the clock, for all web processes together:

- of one user name from one address: five;
- of one address, whatever the names: fifty, since an office or a school may have one address;
- of one user name from all addresses together. That refuses nobody, or whoever knows a name could lock its owner out.
  But beyond fifty each address has one failure and not five, so that many machines guess little more than one does.

An attempt is counted before its password is looked at, so that many at once are as many; one that was right is taken
back.
"""

import hashlib
import logging
import time
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.signals import user_logged_in
from django.core.cache import caches
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from runs.visitors import address_of, place_of

SECONDS = 300
OF_NAME_HERE = 5
OF_NAME_UNDER_ATTACK = 1
OF_ADDRESS = 50
OF_NAME = 50
CACHE = "counters"
logger = logging.getLogger("runs.access")


class TooManyAttemptsError(Exception):
    """Raised out of `authenticate`; `seconds` until there may be another attempt."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many attempts to sign in; the next one in {seconds} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Attempt:
    """One with a user name from an address; `window` numbers the five minutes."""

    name: str
    place: str
    window: int

    @classmethod
    def now(cls, name: str, request: HttpRequest) -> "Attempt":
        plain = unicodedata.normalize("NFKC", name).casefold()
        return cls(plain, place_of(address_of(request.META)), int(time.time()) // SECONDS)

    def begin(self) -> None:
        """Count it; raises `TooManyAttemptsError`."""
        of_address, here = _count(self._of_address), _count(self._here)
        allowed = OF_NAME_HERE
        if of_address <= OF_ADDRESS and here <= OF_NAME_HERE and _count(self._of_name) > OF_NAME:
            allowed = OF_NAME_UNDER_ATTACK
        if here > allowed or of_address > OF_ADDRESS:
            if here == allowed + 1 or of_address == OF_ADDRESS + 1:  # the others would fill the log
                logger.warning("too many attempts to sign in as %.100r from %s", self.name, self.place)
            raise TooManyAttemptsError(SECONDS - int(time.time()) % SECONDS)

    def succeeded(self) -> None:
        """Take it back, and forget the failures of the name from here."""
        _take_back(self._of_address)
        _take_back(self._of_name)
        _forget(self._here)

    @property
    def _of_address(self) -> str:
        return self._key("address", self.place)

    @property
    def _of_name(self) -> str:
        return self._key("name", self.name)

    @property
    def _here(self) -> str:
        return self._key("both", self.place, self.name)

    def _key(self, *what: str) -> str:
        return f"signing-in:{self.window}:{hashlib.sha256(repr(what).encode()).hexdigest()}"


class Limit:
    """An authentication backend that knows nobody. It stands before those that do, and so before every form."""

    def authenticate(self, request: HttpRequest | None, username: str | None = None, **_: Any) -> None:
        if request is not None and username:
            attempt = Attempt.now(username, request)
            attempt.begin()
            request.attempt = attempt  # type: ignore[attr-defined]


class TooManyAttempts(MiddlewareMixin):
    """Answers 429, in words."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, TooManyAttemptsError):
            return None
        page = render_to_string("429.html", {"minutes": -(-exception.seconds // 60)})
        return HttpResponse(page, status=429, headers={"Retry-After": str(exception.seconds)})


@receiver(user_logged_in)
def _signed_in(request: HttpRequest | None, **_: Any) -> None:
    if attempt := getattr(request, "attempt", None):
        attempt.succeeded()


def _count(key: str) -> int:
    """How many there are with this one; 0 while the cache does not answer: then nobody is kept from signing in."""
    try:
        caches[CACHE].add(key, 0)
        return caches[CACHE].incr(key)
    except Exception as error:  # noqa: BLE001  (a cache is whatever was configured)
        logger.warning("attempts to sign in are not counted, the cache does not answer: %s", error)
        return 0


def _take_back(key: str) -> None:
    with suppress(Exception):  # gone, or away: it ends by itself
        caches[CACHE].decr(key)


def _forget(key: str) -> None:
    with suppress(Exception):
        caches[CACHE].delete(key)
