"""An event between processes without a lock: a pipe in which one byte means that it is set, for good."""

import os
import select
import time
from contextlib import suppress


class KillSafeEvent:
    """What q2 uses of `multiprocessing.Event`: set, is_set, wait. Made before the fork; safe in a signal handler."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)

    def set(self) -> None:
        """Set it for every process that inherited it."""
        with suppress(BlockingIOError):  # the pipe is full: set many times over already
            os.write(self._write, b"!")

    def is_set(self) -> bool:
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it is set; waits for that up to `timeout` seconds, for ever when None."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            readable, _, _ = select.select([self._read], [], [], left)
            if readable or (deadline is not None and time.monotonic() >= deadline):
                return bool(readable)

    def __del__(self) -> None:
        for end in (self._read, self._write):
            with suppress(OSError):
                os.close(end)
