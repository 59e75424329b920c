"""The lines that children print, each behind the name of the child it came from."""

import os
from collections.abc import Iterator
from typing import IO

CHUNK = 65_536


class Lines:
    """Reads one child's output as it comes and gives whole lines; the rest waits for its end."""

    def __init__(self, name: str, pipe: IO[bytes]) -> None:
        self.name = name
        self.pipe = pipe
        self._prefix = f"{name:<7} | "
        self._rest = b""
        os.set_blocking(pipe.fileno(), False)

    def read(self) -> Iterator[str]:
        """Prefixed lines that have come since; raises EOFError, with nothing kept back, when the child closed it."""
        try:
            chunk = os.read(self.pipe.fileno(), CHUNK)
        except BlockingIOError:
            return
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if not chunk and self._rest:
            lines, self._rest = [*lines, self._rest], b""
        for line in lines:
            yield self._prefix + line.decode("utf-8", "replace").rstrip("\r")
        if not chunk:
            raise EOFError
