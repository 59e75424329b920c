"""What keys and tokens are given alike: a name, and a time until which they are good."""

from datetime import datetime

from django.utils import timezone

from runs.errors import BadInput
from runs.starting import check_text

NAME_MAX = 80  # characters


def check_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= NAME_MAX:
        raise BadInput(f"give it a name of at most {NAME_MAX} characters: what it is for, or where it is kept")
    check_text(name, "the name")
    return name


def check_time(expires_at: datetime | None) -> datetime | None:
    if expires_at is not None and expires_at <= timezone.now():
        raise BadInput("the time at which it expires is over")
    return expires_at
