"""Scripts, each stored once per content."""

from typing import Self

from django.db import models

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
        """The row of this content, made if it is new, whoever else keeps the same. The text goes to the database once,
        though a script may have hundreds of children of one source."""
        source = cls.of(text)
        if not cls.objects.filter(pk=source.pk).exists():
            cls.objects.bulk_create([source], ignore_conflicts=True)
        return source
