"""The cache of counters where there is no Redis: files, which several processes of a host may count in at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.cache.backends.filebased import FileBasedCache
from django.core.files import locks


class CountingFiles(FileBasedCache):
    """Django's, where `add` and `incr` are one step for everybody else. What is counted lives for the cache's TIMEOUT
    from its last change."""

    def add(self, *arguments: Any, **named: Any) -> bool:
        with self._alone():
            return super().add(*arguments, **named)

    def incr(self, *arguments: Any, **named: Any) -> int:
        with self._alone():
            return super().incr(*arguments, **named)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._createdir()  # type: ignore[attr-defined]
        with (Path(self._dir) / "lock").open("a") as file:  # type: ignore[attr-defined]
            locks.lock(file, locks.LOCK_EX)  # let go as the file is closed
            yield
