"""Turns at writing one database file: a lock among the threads of a process, then one among processes.

SQLite lets one connection write at a time and makes the others poll, with sleeps of up to a tenth of a second; a few
workers then spend most of their time asleep. Waiting in the kernel instead, each writer starts the moment the one
before it is done. The kernel takes the lock back from a process that dies.
"""

import os
import threading
from functools import cache

try:
    import fcntl
except ImportError:  # no such lock on this platform: SQLite's own polling remains
    fcntl = None  # type: ignore[assignment]


class Turns:
    """`take` blocks until it is this thread's turn, at most `seconds` for the threads before it; then `give_back`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._file: int | None = None

    def take(self, seconds: float) -> bool:
        """False when the turn did not come in time: then the caller tries its luck with SQLite's own lock."""
        if not self._lock.acquire(timeout=seconds):
            return False
        try:
            if fcntl is not None:
                if self._file is None:
                    self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                fcntl.flock(self._file, fcntl.LOCK_EX)
        except OSError:  # the file is another user's, or its file system has no locks
            self._lock.release()
            return False
        return True

    def give_back(self) -> None:
        if fcntl is not None and self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._lock.release()


@cache
def turns_at(path: str) -> Turns:
    """The turns of the database at `path` in this process."""
    return Turns(f"{path}-turn")


# An open file and its lock are shared with a forked child, which has to open its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=turns_at.cache_clear)
