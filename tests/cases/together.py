"""Work that several connections do at the same time."""

import threading
from collections.abc import Callable

from django.db import connection, connections, transaction
from helpers import PATIENCE, eventually

_PATIENCE = 2 * PATIENCE  # seconds; only a test that hangs takes so long


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


def meeting(first: Callable[[], None], second: Callable[[], None]) -> None:
    """`first` has done its work and not committed it when `second` begins; it commits when the other waits for it,
    where the database can tell (SQLite lets nobody else begin to write), or has at least begun."""
    done, begun = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            first()
            done.set()
            assert begun.wait(PATIENCE)
            if connection.vendor == "postgresql":
                eventually(somebody_waits, what="the second waits for a lock of the first")

    def follow() -> None:
        assert done.wait(PATIENCE)
        begun.set()
        second()

    together(hold, follow)


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return cursor.fetchone()[0] > 0
