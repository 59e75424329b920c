"""Keys in the database, and all that is there."""

from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.apps import apps
from django.contrib.auth.models import User
from signing import private_key, public_bytes

from runs.api import keys
from runs.api.roles import Role


def registered(user: User, seed: str, role: Role, expires_at: datetime | None = None) -> Ed25519PrivateKey:
    """The private key of `seed`, whose public one is the user's from now on."""
    key = private_key(seed)
    keys.register(user, public_bytes(key).hex(), seed, role, expires_at, user)
    return key


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    return {model.__name__: list(model.objects.order_by("pk").values_list()) for model in apps.get_models()}
