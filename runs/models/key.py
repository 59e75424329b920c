"""Concurrency keys: one row per key, which claims lock while they count who holds a place of it."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class ConcurrencyKey(models.Model):
    """`runs.places` alone writes here. How many places there are is said by each run that waits for one."""

    key = models.CharField(primary_key=True, max_length=200)
    freed = models.BooleanField(default=False, help_text="a place may have become free: the next claim looks")
    waiting = models.BooleanField(default=False, help_text="runs are held back for want of a place")
    looked_at = models.DateTimeField(default=timezone.now, help_text="when a claim last looked at who waits")

    class Meta:
        indexes = [
            models.Index(fields=["key"], condition=Q(freed=True), name="key_freed"),
            models.Index(fields=["looked_at"], condition=Q(waiting=True), name="key_waiting"),
        ]

    def __str__(self) -> str:
        return self.key
