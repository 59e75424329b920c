"""Hints: after a commit, the process that has written tells the web processes which runs have changed, through the
channel layer. They may be lost or doubled without harm.

Only where the channel layer reaches other processes, which is with Redis; otherwise the web process looks at the
database (`tail`). A thread of its own sends them, with a connection of its own: a commit neither waits for it nor
fails with it. What is committed while it sends travels in the next message.
"""

import asyncio
import atexit
import logging
import os
import threading
import time
from functools import cache
from typing import Any

from channels.layers import get_channel_layer
from django.conf import settings
from django.core.signals import setting_changed
from django.db import transaction

logger = logging.getLogger("runs.watching")
GROUP = "runs.watching"
_PACE_SECONDS = 0.015  # between two messages of a process: each costs its workers a part of a millisecond
_EXIT_SECONDS = 0.5  # that a process which ends waits for its last message
_QUIET_SECONDS = 60  # between two complaints


def changed(*run_ids: str) -> None:
    """These runs, their journals or inboxes have been written in the present transaction."""
    if run_ids and reach():
        transaction.on_commit(lambda: _sender().add(run_ids), robust=True)


@cache
def reach() -> bool:
    """Whether the channel layer reaches other processes."""
    return bool(settings.CHANNEL_LAYERS["default"]["BACKEND"] != "channels.layers.InMemoryChannelLayer")


class Sender:
    """`add` returns at once; `flush` waits until what was added has been sent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: set[str] = set()
        self._more = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._complained = float("-inf")
        threading.Thread(target=self._serve, name="hints", daemon=True).start()

    def add(self, run_ids: tuple[str, ...]) -> None:
        with self._lock:
            self._pending.update(run_ids)
            self._idle.clear()
            self._more.set()

    def flush(self, seconds: float = _EXIT_SECONDS) -> bool:
        return self._idle.wait(seconds)

    def _serve(self) -> None:
        loop = asyncio.new_event_loop()
        while True:
            self._more.wait()
            with self._lock:
                self._more.clear()
                pending, self._pending = self._pending, set()
            try:
                loop.run_until_complete(_send(sorted(pending)))
            except Exception as error:  # noqa: BLE001  (whatever a channel layer may raise)
                self._complain(error)
            with self._lock:
                if not self._pending:
                    self._idle.set()
            time.sleep(_PACE_SECONDS)

    def _complain(self, error: Exception) -> None:
        if time.monotonic() - self._complained > _QUIET_SECONDS:
            self._complained = time.monotonic()
            logger.warning("no hint was sent, who watches sees changes up to two seconds late: %s", error)


async def _send(run_ids: list[str]) -> None:
    message: dict[str, Any] = {"type": "runs.changed", "runs": run_ids}
    await get_channel_layer().group_send(GROUP, message)


@cache
def _sender() -> Sender:
    """Of this process."""
    sender = Sender()
    atexit.register(sender.flush)
    return sender


def _forget(*, setting: str, **_: Any) -> None:
    if setting == "CHANNEL_LAYERS":
        reach.cache_clear()


setting_changed.connect(_forget)
# A forked child has no thread yet.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_sender.cache_clear)
