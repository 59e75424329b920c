"""Starting a run and staying with it: `--wait` follows it, `--inline` executes it here, else we leave at once."""

import logging
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from types import FrameType
from typing import Any

from runs.commands.follow import OutOfTimeError, follow
from runs.commands.starting import differs
from runs.conf import conf
from runs.lifecycle import Status
from runs.models import Run
from runs.starting import Started, start
from runs.workers.inline import Inline

Say = Callable[[str], None]
Began = Callable[[Started], Started]
UNCLAIMED_SECONDS = 3  # a worker takes a run within milliseconds; after so long there may be none


class NotEndedError(Exception):
    """We left before the run had ended; the text says why, and where the run is now."""

    def __init__(self, why: str, started: Started, after: str) -> None:
        self.run, self.created = started.run, started.created
        self.run.refresh_from_db()
        super().__init__(f"{why}: run {self.run.pk} is {self.run.status}. {after}")


def attend(source: str, fields: dict[str, Any], options: dict[str, Any], tell: Say, note: Say) -> tuple[Run, bool]:
    """The run as it stands when we leave it, and whether it was made now. Raises `Refused`, or `NotEndedError`.

    `options` has `inline`, and `wait`: False, or the most seconds, None for no limit. `tell` gets the id, `note` all
    else.
    """

    def began(started: Started) -> Started:
        tell(started.run.pk)
        if not started.created:
            note(f"That key has started run {started.run.pk} before; nothing was started now.")
            if other := differs(started.run, source, fields):
                note(f"That run differs from what is given now: {', '.join(other)}.")
        note(page_of(started.run.pk))
        return started

    seconds = None if options["wait"] is False else options["wait"]
    if options["inline"]:
        return _inline(lambda here: began(here.start(source, **fields)), note, seconds)
    started = start(source, **fields)
    if options["wait"] is False:
        return began(started).run, started.created
    return _wait(started, began, note, seconds)


def page_of(run_id: str) -> str:
    return f"Its page: {conf().base_url}/runs/{run_id}/"


def _wait(started: Started, began: Began, note: Say, seconds: float | None) -> tuple[Run, bool]:
    run_id = started.run.pk
    after = f"It goes on; manage.py showrun {run_id} shows it."
    try:
        began(started)
        return follow(run_id, note, _sleeper(note), seconds), started.created
    except OutOfTimeError:
        raise NotEndedError(f"not ended within {seconds:g} s", started, after) from None
    except KeyboardInterrupt:
        raise NotEndedError("no longer following", started, after) from None


def _sleeper(note: Say) -> Callable[[str, float], None]:
    """A sleep that notes, once, when no worker has come for the run."""
    due: float | None = time.monotonic() + UNCLAIMED_SECONDS

    def sleep(run_id: str, seconds: float) -> None:
        nonlocal due
        time.sleep(seconds)
        if due is not None and time.monotonic() >= due:
            due = None
            if Run.objects.filter(pk=run_id, status=Status.QUEUED).exists():
                note("no worker has taken it; start manage.py up")

    return sleep


def _inline(begin: Callable[[Inline], Started], note: Say, seconds: float | None) -> tuple[Run, bool]:
    """What tools print goes to standard error, and SIGTERM counts as Ctrl-C, so that the run is handed back."""
    with _terminable(), _quiet(), redirect_stdout(sys.stderr):
        here = Inline()
        started = begin(here)
        run_id, after = started.run.pk, "It was handed back: workers go on with it, or --inline with the same --key."
        try:
            run = follow(run_id, note, here.tend, seconds)
            here.finish()
        except OutOfTimeError:
            here.stop()
            raise NotEndedError(f"not ended within {seconds:g} s", started, after) from None
        except KeyboardInterrupt:
            note("Handing the run back ...")
            here.stop()
            raise NotEndedError("interrupted", started, after) from None
        return run, started.created


@contextmanager
def _quiet() -> Iterator[None]:
    """The journal is followed here, so a worker's own lines about the run would only repeat it; warnings stay."""
    logger = logging.getLogger("runs")
    before = logger.level
    if logger.getEffectiveLevel() == logging.INFO:
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextmanager
def _terminable() -> Iterator[None]:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
