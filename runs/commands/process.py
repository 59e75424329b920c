"""What a process does that replays runs for another. It imports no model before Django is set up, as it begins here."""

import signal
from typing import Any

import django


def begin() -> None:
    """Ctrl-C is for the parent, which lets the chunk that is out be finished."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    django.setup()


def verify(chunk: list[str]) -> list[Any]:
    """A `Verified` for each run that is there."""
    from runs.operations.verifying import verify_all

    return list(verify_all(chunk))
