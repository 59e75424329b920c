"""Reading what is of one moment: a worker may be writing to the same rows meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def one_look() -> Iterator[None]:
    """What is read in the block is of one moment, and nobody waits for it. Inside a transaction it is that one's."""
    if connection.in_atomic_block:
        yield
        return
    how = " ISOLATION LEVEL REPEATABLE READ READ ONLY" if connection.vendor == "postgresql" else " DEFERRED"
    with connection.cursor() as cursor:
        cursor.execute(f"BEGIN{how}")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
