"""One limit for everything that a call does on the network, and a look at whether the run was canceled."""

import time
from collections.abc import Callable

from runs.tools.context import ToolContext
from runs.tools.errors import ToolError

POLL_SECONDS = 0.2


class Deadline:
    """Counts from its creation. `clock` gives seconds and never goes back."""

    def __init__(self, timeout_ms: int, context: ToolContext, clock: Callable[[], float] = time.monotonic) -> None:
        self._timeout_ms = timeout_ms
        self._context = context
        self._clock = clock
        self._end = clock() + timeout_ms / 1000

    def left(self) -> float:
        """Seconds left, above 0; raises `ToolError`, `timeout` or `canceled`, when there is no time to go on."""
        self._context.raise_if_cancelled()
        left = self._end - self._clock()
        if left <= 0:
            raise ToolError("timeout", f"http.request took longer than {self._timeout_ms:,} ms", retryable=True)
        return left

    def step(self) -> float:
        """Seconds to wait for one thing before looking up again."""
        return min(self.left(), POLL_SECONDS)
