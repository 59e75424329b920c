"""What a key or token may be used for, at most; the permissions of its user are asked besides."""

from runs.models.api import Role

__all__ = ["Role", "allows"]

_ORDER = list(Role)


def allows(has: Role | str, needs: Role | str) -> bool:
    """Whether who has the one role may do what takes the other."""
    return _ORDER.index(Role(has)) >= _ORDER.index(Role(needs))
