"""Tokens of users, for the JSON form: `daybook_<public id>_<secret>`, shown once, of which a hash is kept.

A plain SHA-256 suffices: the secret has 256 random bits, so there is nothing to guess that hashing slowly would save.
"""

import hashlib
import hmac
import re
import secrets
from datetime import datetime

from django.contrib.admin.models import ADDITION
from django.contrib.auth.models import User
from django.db import transaction

from runs import audit
from runs.access import Person
from runs.api.naming import check_name, check_time
from runs.api.roles import Role
from runs.models import ApiToken

_FORM = re.compile(r"daybook_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_NOBODYS = bytes(32)


def make(user: User, name: str, role: Role, expires_at: datetime | None, by: Person | None) -> tuple[ApiToken, str]:
    """The row, and the text that is nowhere else and has to be shown now; None for `by` is a command. Raises
    `BadInput`."""
    public_id, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    row = ApiToken(
        user=user,
        name=check_name(name),
        role=role,
        expires_at=check_time(expires_at),
        public_id=public_id,
        secret_sha256=_hashed(secret),
    )
    with transaction.atomic():
        row.save(force_insert=True)
        told = f"made the token {public_id} of {user.get_username()} as {role}"
        audit.record_other(by, row, str(row), told, flag=ADDITION)
    return row, f"daybook_{public_id}_{secret}"


def find(text: str) -> ApiToken | None:
    """With its user; whether it is still good is another question."""
    if not (parts := _FORM.fullmatch(text)):
        return None
    public_id, secret = parts.groups()
    row = ApiToken.objects.select_related("user").filter(public_id=public_id).first()
    kept = _NOBODYS if row is None else bytes(row.secret_sha256)
    return row if hmac.compare_digest(kept, _hashed(secret)) else None


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
