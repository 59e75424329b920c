"""Scripts, each stored once per content."""

from typing import Self

from django.db import connection, models

from journal.entries import content_key


class Source(models.Model):
    """The JavaScript of a script; immutable, its key is the SHA-256 of its UTF-8."""

    sha256 = models.CharField(primary_key=True, max_length=64)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]

    @classmethod
    def of(cls, text: str) -> Self:
        """The row of this content, not yet written."""
        return cls(sha256=content_key(text), text=text)

    @classmethod
    def keep(cls, text: str) -> Self:
        """The row of this content, made if it is new, whoever else keeps the same; in the transaction of what refers to
        it, until whose end nobody deletes it. The text goes to the database once, though a script may have hundreds of
        children of one source."""
        source = cls.of(text)
        with connection.cursor() as cursor:
            cursor.execute(held_sql(), [source.pk])
            known = cursor.fetchone()
        if known is None:
            cls.objects.bulk_create([source], ignore_conflicts=True)
        return source


def held_sql() -> str:
    """Of a query that finds a source by its key and, where rows can be locked, keeps it from being deleted until the
    transaction ends: the lock that a foreign key takes as well, only later. SQLite has one writer at a time."""
    lock = " FOR KEY SHARE" if connection.vendor == "postgresql" else ""
    return f"SELECT 1 FROM runs_source WHERE sha256 = %s{lock}"  # noqa: S608
