"""Stopping between two batches: Ctrl-C or SIGTERM asks for it, a second one does not wait."""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def asked_to_stop(note: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Gives a function that tells whether it was asked for; `note` is told what comes of it."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    asked = False

    def ask(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        _restore(before)
        note("stopping after this batch")

    for number in SIGNALS:
        signal.signal(number, ask)
    try:
        yield lambda: asked
    finally:
        _restore(before)


def _restore(handlers: Mapping[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
