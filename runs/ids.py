"""Ids of runs: 26 characters, sortable by time of creation, safe in a URL and short enough to read out."""

import secrets
import time
from datetime import UTC, datetime

ID_LENGTH = 26
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case


def is_id(text: str) -> bool:
    """Whether a run may have that id."""
    return len(text) == ID_LENGTH and all(character in _ALPHABET for character in text)


def new_id(ms: int | None = None) -> str:
    """48 bits of ms since the epoch, of now unless they are given, and 80 random bits (the layout of a ULID)."""
    return _written(time.time_ns() // 1_000_000 if ms is None else ms, secrets.randbits(80))


def first_id(at: datetime) -> str:
    """The least id that can be made at that moment: what is older is below it."""
    return _written(int(at.timestamp() * 1000), 0)


def time_of(run_id: str) -> datetime:
    """When that id was made, in UTC. Raises `ValueError` or `OverflowError` for a time that no calendar has."""
    number = 0
    for character in run_id:
        number = number << 5 | _ALPHABET.index(character)
    return datetime.fromtimestamp((number >> 80) / 1000, UTC)


def span_of(prefix: str) -> tuple[str, str]:
    """The least and the greatest id that begins so. Both of the letters of ids alone: what else comes before or behind
    them is another matter in each collation of a database."""
    rest = ID_LENGTH - len(prefix)
    return prefix + _ALPHABET[0] * rest, prefix + _ALPHABET[-1] * rest


def _written(ms: int, rest: int) -> str:
    number = ms << 80 | rest
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -5, -5))
