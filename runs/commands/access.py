"""A key or token of the API as a line, and as a JSON value; never with what is secret."""

from typing import Any

from django.utils import timezone

from runs.activity import one_line
from runs.models import ApiKey, ApiToken
from runs.words import moment


def facts(row: ApiKey | ApiToken) -> dict[str, Any]:
    return {
        "kind": "key" if isinstance(row, ApiKey) else "token",
        "id": _id(row),
        "user": row.user.get_username(),
        "name": row.name,
        "role": row.role,
        "state": row.state(timezone.now()),
        "expiresAt": row.expires_at and row.expires_at.isoformat(),
        "lastUsedAt": row.last_used_at and row.last_used_at.isoformat(),
    }


def line(row: ApiKey | ApiToken) -> str:
    """ "key SHA256:... ada reader laptop: good, expires 2030-01-01 06:30 UTC, never used"."""
    kind = "key" if isinstance(row, ApiKey) else "token"
    until = f"expires {moment(row.expires_at)}" if row.expires_at else "never expires"
    used = f"last used {moment(row.last_used_at)}" if row.last_used_at else "never used"
    named = f"{kind} {_id(row)} {row.user.get_username()} {row.role} {one_line(row.name, 80)}"
    return f"{named}: {row.state(timezone.now())}, {until}, {used}"


def _id(row: ApiKey | ApiToken) -> str:
    return row.fingerprint if isinstance(row, ApiKey) else row.public_id
