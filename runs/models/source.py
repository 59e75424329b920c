"""Scripts, each stored once per content."""

import hashlib
from typing import Self

from django.db import models


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
        return cls(sha256=hashlib.sha256(text.encode()).hexdigest(), text=text)

    @classmethod
    def keep(cls, text: str) -> Self:
        """The row of this content, made if it is new: one statement, whoever else keeps the same."""
        source = cls.of(text)
        cls.objects.bulk_create([source], ignore_conflicts=True)
        return source
