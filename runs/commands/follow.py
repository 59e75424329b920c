"""Following runs: their journals entry by entry until they have ended, and then those of their successors."""

import time
from collections.abc import Callable, Iterator

from journal import store
from journal.entries import Entry
from runs.activity import line
from runs.lifecycle import TERMINAL
from runs.models import Run

LOOK_SECONDS = 0.1
_BATCH = 500  # entries
Said = Callable[[str, Entry], None]  # the id of the run, and an entry of it


class OutOfTimeError(Exception):
    """The seconds are over and the run has not ended."""


def news(journal_id: str, seen: int) -> Iterator[Entry]:
    """The entries after `seen`, a batch of them in memory."""
    while batch := store.read(journal_id, seen, most=_BATCH):
        yield from batch
        seen = batch[-1].seq


def follow(
    run_id: str,
    say: Callable[[str], None],
    tend: Callable[[str, float], None],
    seconds: float | None,
    *,
    seen: int = 0,
    told: Said | None = None,
) -> Run:
    """`say` each entry after `seen` until the run has ended, or hand it to `told`; returns the run, or the last one
    that it was continued as. Between two looks `tend` is called with the run's id and the seconds that it may take.
    Raises `OutOfTimeError` after `seconds`, None for never."""
    until = None if seconds is None else time.monotonic() + seconds
    told = told or (lambda _run_id, entry: say(line(entry)))
    while True:
        run = Run.objects.get(pk=run_id)  # before its entries: when it has ended, they are all there
        for entry in news(run.journal_id, seen):
            told(run_id, entry)
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


def follow_tree(root_id: str, seen: dict[str, int], told: Said, wait: Callable[[float], None]) -> None:
    """Each entry of all runs of the tree goes to `told`, until all have ended. `seen` holds the seq of the last one of
    each run, 0 for none, and is kept up; between two looks `wait` is given the seconds."""
    while True:
        # One query for the whole tree, before the entries: of those that have ended, all are there then.
        rows = list(
            Run.objects.filter(root_id=root_id)
            .order_by("depth", "pk")
            .values_list("pk", "journal_id", "status", "journal__next_seq")
        )
        for run_id, journal_id, _, next_seq in rows:
            if next_seq - 1 > seen.get(run_id, 0):
                for entry in news(journal_id, seen.get(run_id, 0)):
                    told(run_id, entry)
                    seen[run_id] = entry.seq
        if all(status in TERMINAL for _, _, status, _ in rows):
            return
        wait(LOOK_SECONDS)
