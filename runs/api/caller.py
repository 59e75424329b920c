"""Who calls: what a key or token has come to once it was found good."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from runs.api.roles import Role


@dataclass(frozen=True, slots=True)
class Caller:
    """`via` is "key SHA256:..." or "token <public id>", for the log of deeds; `credential_id` is the row's, and
    `last_used_at` what it knew before this use."""

    user: User
    role: Role
    via: str
    credential_id: int
    last_used_at: datetime | None = None
