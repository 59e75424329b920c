"""Following a run: its journal line by line until it has ended, and then that of its successor."""

import time
from collections.abc import Callable

from journal import store
from runs.activity import line
from runs.models import Run

LOOK_SECONDS = 0.1


class OutOfTimeError(Exception):
    """The seconds are over and the run has not ended."""


def follow(run_id: str, say: Callable[[str], None], tend: Callable[[str, float], None], seconds: float | None) -> Run:
    """`say` each entry until the run has ended; returns it, or the last one that it was continued as. Between two looks
    `tend` is called with the run's id and the seconds that it may take. Raises `OutOfTimeError` after `seconds`, None
    for never."""
    until = None if seconds is None else time.monotonic() + seconds
    seen = 0
    while True:
        run = Run.objects.get(pk=run_id)  # before its entries: when it has ended, they are all there
        for entry in store.read(run.journal_id, seen):
            say(line(entry))
            seen = entry.seq
        if run.is_terminal:
            if not run.successor:
                return run
            say(f"continued as {run.successor}")
            run_id, seen = run.successor, 0
            continue
        if until is not None and time.monotonic() >= until:
            raise OutOfTimeError
        tend(run_id, LOOK_SECONDS if until is None else max(0.0, min(LOOK_SECONDS, until - time.monotonic())))
