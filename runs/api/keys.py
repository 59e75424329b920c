"""Public keys of users: registering and finding them."""

from datetime import datetime

from django.contrib.admin.models import ADDITION
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from runs import audit
from runs.access import Person
from runs.api import public_keys
from runs.api.naming import check_name, check_time
from runs.api.roles import Role
from runs.errors import BadInput
from runs.models import ApiKey


def register(user: User, text: str, name: str, role: Role, expires_at: datetime | None, by: Person | None) -> ApiKey:
    """The key in `text` (see `public_keys.read`) for that user, from now on; None for `by` is a command.

    Raises `BadInput`: a key is registered once, and one that was revoked is not taken again."""
    key = public_keys.read(text)
    row = ApiKey(
        user=user,
        name=check_name(name),
        role=role,
        expires_at=check_time(expires_at),
        public_key=key,
        fingerprint=public_keys.fingerprint(key),
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            told = f"registered the key {row.fingerprint} of {user.get_username()} as {role}"
            audit.record_other(by, row, str(row), told, flag=ADDITION)
    except IntegrityError:
        raise BadInput("this key is registered, or was before it was revoked; make a new pair") from None
    return row


def find(public_key: bytes) -> ApiKey | None:
    """With its user; whether it is still good is another question."""
    return ApiKey.objects.select_related("user").filter(public_key=public_key).first()
