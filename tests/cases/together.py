"""Work that several connections do at the same time."""

import threading
from collections.abc import Callable

from django.db import connections


def together(*works: Callable[[], None]) -> None:
    """Run all at once, each on a thread of its own; a failure of any is a failure here."""
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

    threads = [threading.Thread(target=guarded, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    if failures:
        raise failures[0]
