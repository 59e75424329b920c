"""Which of some known names a writer may have meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Up to `most` names that resemble `name`, nearest first; letter case does not count."""
    by_folded: dict[str, str] = {}
    for candidate in known:
        if abs(len(candidate) - len(name)) <= 3:
            by_folded.setdefault(candidate.casefold(), candidate)
    return [by_folded[match] for match in get_close_matches(name.casefold(), list(by_folded), n=most, cutoff=0.6)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean ...?` with a leading space; empty when nothing is near."""
    names = [f"`{found}`" for found in nearest(name, known)]
    return f" Did you mean {' or '.join(names)}?" if names else ""
