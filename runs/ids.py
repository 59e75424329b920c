"""Ids of runs: 26 characters, sortable by time of creation, safe in a URL and short enough to read out."""

import secrets
import time

_LENGTH = 26
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case


def is_id(text: str) -> bool:
    """Whether a run may have that id."""
    return len(text) == _LENGTH and all(character in _ALPHABET for character in text)


def new_id() -> str:
    """48 bits of ms since the epoch and 80 random bits (the layout of a ULID)."""
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -5, -5))
