"""How large the database is."""

from dataclasses import dataclass
from pathlib import Path

from django.db import connection


@dataclass(frozen=True, slots=True)
class Size:
    """In bytes. `log` is SQLite's write-ahead log, 0 elsewhere; `free` what is in the file and not used."""

    vendor: str
    total: int
    log: int = 0
    free: int = 0


def size() -> Size:
    """Of the database that holds the runs."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
            return Size("postgresql", int(cursor.fetchone()[0]))
        page, pages, free = (_pragma(cursor, name) for name in ("page_size", "page_count", "freelist_count"))
    log = Path(f"{connection.settings_dict['NAME']}-wal")
    return Size(connection.vendor, page * pages, log.stat().st_size if log.exists() else 0, page * free)


def _pragma(cursor: object, name: str) -> int:
    return int(cursor.execute(f"PRAGMA {name}").fetchone()[0])  # type: ignore[attr-defined]
