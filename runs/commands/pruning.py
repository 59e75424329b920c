"""What `pruneruns` is given, an age, statuses, the size of a batch; and what it shows meanwhile."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, Self

from runs.commands.progress import Progress
from runs.commands.reading import whole_number
from runs.errors import BadInput
from runs.lifecycle import TERMINAL, Status
from runs.pruning import BATCH_MOST, Deleted

ENDED = tuple(status.value for status in TERMINAL)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MOST = timedelta(days=36_500)


def age(text: str) -> timedelta:
    """A whole number and its unit, such as `30d`."""
    parsed = re.fullmatch(r"([0-9]{1,12})([smhdw])", text)
    if parsed is None:
        raise ArgumentTypeError(f"takes a whole number and s, m, h, d or w, such as 30d, not {text!r}")
    number, unit = int(parsed[1]), _UNITS[parsed[2]]
    if number == 0:
        raise ArgumentTypeError("takes an age above 0; 1s is every run that has ended")
    if number * timedelta(**{unit: 1}).total_seconds() > _MOST.total_seconds():
        raise ArgumentTypeError("takes an age of at most 36500d, a hundred years")
    return timedelta(**{unit: number})


def batch(text: str) -> int:
    number = whole_number(text)
    if number > BATCH_MOST:
        raise ArgumentTypeError(f"takes at most {BATCH_MOST}: on SQLite nobody else writes meanwhile")
    return number


def statuses(chosen: Sequence[str] | None, *, keep_failed: bool) -> frozenset[Status]:
    """Those of what is deleted. Raises `BadInput` where nothing is left."""
    wanted = frozenset(map(Status, chosen)) if chosen else frozenset(TERMINAL)
    if keep_failed and wanted == {Status.FAILED}:
        raise BadInput("--status failed and --keep-failed leave nothing to delete; give one of them")
    return wanted - {Status.FAILED} if keep_failed else wanted


class Counted:
    """What is deleted so far, shown on a terminal; where it ends by an error, or at once, it says so on leaving."""

    def __init__(self, stream: Any, foreseen: Callable[[], int]) -> None:
        self.total = Deleted()
        self._stream = stream
        self._progress = Progress(stream, foreseen() if stream.isatty() else 0)

    def add(self, done: Deleted) -> None:
        self.total += done
        self._progress.advance(done.runs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._progress.end()
        if kind is not None and self.total.runs:
            self._stream.write(f"{self.total.runs:,} runs had been deleted by then; the same command again goes on")
