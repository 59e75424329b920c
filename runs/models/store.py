"""The table behind the tools `store.get`, `store.put` and `store.delete`."""

from django.db import models

from journal.fields import CborField


class StoreItem(models.Model):
    """One JSON value under one key."""

    key = models.CharField(primary_key=True, max_length=200)
    value = CborField()
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.key
