"""Gates: what waits at one goes on when the test opens it, when it is told to stop, or after ten minutes."""

import time
from threading import Event

from django.conf import settings


def wait_for_gate(name: str, cancel: Event) -> None:
    gate = settings.DATA_DIR / "gates" / name
    until = time.monotonic() + 600
    while not gate.exists() and time.monotonic() < until and not cancel.wait(0.01):
        pass
