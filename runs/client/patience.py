"""How long to go on with a server that does not answer, and how long to pause between two attempts."""

import random
import time

_FIRST_SECONDS, _MOST_SECONDS = 0.1, 5.0
_chance = random.SystemRandom()


class Patience:
    """Of one question: `pause` gives the seconds before the next attempt, or None when it would be over by then."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """There was an answer."""
        self._until = time.monotonic() + self._seconds
        self._attempts = 0

    def pause(self, asked: float | None = None) -> float | None:
        """`asked` is what the server asks for; without it the pauses double, up to five seconds, and are shortened by
        chance so that not all come again together."""
        longest = min(_MOST_SECONDS, _FIRST_SECONDS * 2.0 ** min(self._attempts, 10))
        self._attempts += 1
        seconds = longest * _chance.uniform(0.5, 1) if asked is None else asked
        return seconds if time.monotonic() + seconds <= self._until else None
