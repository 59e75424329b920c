"""The signs of a run's replay health, as one column that lists can filter by.

Each is set where its fact is written, in the same transaction, and stays: what has happened has happened. Deriving them
would mean decoding the journals of all runs for one list. What a sign stands for in detail is in the journal.
"""

from collections.abc import Iterable
from enum import IntFlag
from typing import Any

from django.db.models import F

from journal.bodies import Body
from journal.entries import Kind


class Sign(IntFlag):
    """One bit each in `Run.signs`."""

    REEXECUTED = 1
    ORPHANS = 2
    DIVERGED = 4
    LATE = 8
    NEAR_CAP = 16
    UNHANDLED = 32

    @property
    def slug(self) -> str:
        """Its name in addresses and JSON."""
        return str(self.name).lower().replace("_", "-")


BY_SLUG = {sign.slug: sign for sign in Sign}


def signs_of(bodies: Iterable[Body]) -> Sign:
    """The signs that entries of these bodies show."""
    found = Sign(0)
    for body in bodies:
        if "reexecuted" in body:
            found |= Sign.REEXECUTED
        if "late" in body:
            found |= Sign.LATE
        if body["kind"] == Kind.LOG and body["callSeq"] == 0:
            found |= Sign.UNHANDLED if "unhandled" in body else Sign(0)
            found |= Sign.NEAR_CAP if "nearCap" in body else Sign(0)
    return found


def shown(signs: Sign) -> dict[str, Any]:
    """The change of a run's row that sets the signs and leaves the others."""
    return {"signs": F("signs").bitor(int(signs))}
