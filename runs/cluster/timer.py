"""How long a worker may still work on its task, shared with the sentinel without a lock: only the worker writes it."""

import ctypes
import os
import time
from contextlib import AbstractContextManager, nullcontext
from multiprocessing.sharedctypes import RawValue


class KillSafeTimer:
    """Stands in for the `Value('f', -1)` that q2's worker and sentinel share.

    q2 lets the sentinel count the value down, so both write and both need its lock, which a killed worker keeps. Here
    the worker's value becomes a point in time, the value read is what is left until then, and the sentinel's counting
    down is ignored. Values of q2: above 0 seconds left, 0 time is up, -1 idle, -2 recycled.
    """

    def __init__(self, _typecode: str = "d", value: float = -1) -> None:
        self._maker = os.getpid()
        self._cell = RawValue(ctypes.c_double, value)

    @property
    def value(self) -> float:
        stored = float(self._cell.value)
        return max(0.0, stored - time.monotonic()) if stored > 0 else stored

    @value.setter
    def value(self, value: float) -> None:
        if os.getpid() != self._maker:
            self._cell.value = time.monotonic() + value if value > 0 else value

    def get_lock(self) -> AbstractContextManager[None]:
        """No lock: there is one writer, and eight aligned bytes are written at once."""
        return nullcontext()
