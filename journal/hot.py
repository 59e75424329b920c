"""Cursors for the few statements that every run takes."""

from typing import Any

from django.db import connection


def cursor() -> Any:
    """As `connection.cursor()`, but PostgreSQL keeps what it executes parsed and planned, which for a small statement
    costs more than to execute it. Django's own cursors put the values into the text, and no text is then like another.

    How often a connection executes a statement before it is kept is `prepare_threshold` in the OPTIONS of the database;
    where that is not set, as behind a proxy that cannot bear it, nothing is.
    """
    wrapped = connection.cursor()
    if connection.vendor == "postgresql":
        from django.db.backends.postgresql.base import ServerBindingCursor

        wrapped.cursor = ServerBindingCursor(connection.connection)  # type: ignore[call-arg]  # the stubs know another
    return wrapped
