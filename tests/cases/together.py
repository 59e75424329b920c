"""Work that several connections do at the same time."""

import threading
from collections.abc import Callable

from django.db import connections

_PATIENCE = 120  # seconds; only a test that hangs takes so long


def together(*works: Callable[[], None]) -> None:
    """Run all at once, each on a thread of its own; a failure of any is a failure here, and so is one that hangs."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(len(works))

    def guarded(work: Callable[[], None]) -> None:
        try:
            barrier.wait()
            work()
        except BaseException as error:  # noqa: BLE001  (raised again below)
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guarded, args=[work], daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=_PATIENCE)
    if failures:
        raise failures[0]
    assert not any(thread.is_alive() for thread in threads), f"not done in {_PATIENCE} s"
