"""A progress bar on a terminal; silence anywhere else."""

import time
from typing import Any

_EVERY = 0.1  # seconds
_WIDTH = 30


class Progress:
    """`advance` as things are done; `end` leaves the line."""

    def __init__(self, stream: Any, total: int | None) -> None:
        """`total` None where nobody knows it without counting."""
        self._stream, self._total, self._done = stream, total, 0
        self._shown, self._began = 0.0, time.monotonic()
        self._terminal = bool(getattr(stream, "isatty", lambda: False)())

    def advance(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if self._terminal and (now - self._shown >= _EVERY or self._done == self._total):
            self._shown = now
            of = "" if self._total is None else f" of {self._total:,}"
            self._write(f"\r{self._bar()}{self._done:,}{of}, {self._rate(now):,.0f}/s ")

    def end(self) -> None:
        if self._terminal and self._shown:
            self._write("\n")

    def _bar(self) -> str:
        if self._total is None:
            return ""
        filled = _WIDTH * min(self._done, self._total) // max(1, self._total)
        return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] "

    def _rate(self, now: float) -> float:
        return self._done / max(0.001, now - self._began)

    def _write(self, text: str) -> None:
        self._stream.write(text, lambda styled: styled, ending="")
        self._stream.flush()
