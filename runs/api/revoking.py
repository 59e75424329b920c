"""Revoking a key or token: for good, and for what it has open too."""

from django.db import transaction
from django.utils import timezone

from runs import audit
from runs.access import Person
from runs.models import ApiKey, ApiToken


def revoke(row: ApiKey | ApiToken, by: Person | None) -> bool:
    """From now on nothing that it signs or opens is taken; False where that is so already. None for `by` is a
    command."""
    with transaction.atomic():
        if not type(row).objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=timezone.now()):
            return False
        audit.record_other(by, row, str(row), f"revoked the {row.via}")
    return True
