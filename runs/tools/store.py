"""The tools `store.get`, `store.put` and `store.delete`: JSON values by key, in the call's own transaction."""

from typing import Annotated, Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from pydantic import AfterValidator, Field

from runs.tools.errors import ToolError
from runs.tools.registry import tool

_ROUNDS = 10  # a put that loses this many races in a row is told so


def _storable(key: str) -> str:
    if not key.strip():
        raise ValueError("must not be blank")
    if "\0" in key:
        raise ValueError("must not contain NUL, which PostgreSQL cannot store")
    return key


Key = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_storable)]


@tool("store.get", transactional=True)
def get(key: Key, default: Any = None) -> Any:
    """The value under `key`, or `default` (null) where there is none."""
    from runs.models.store import StoreItem  # a tool may be imported before the models are ready

    found = StoreItem.objects.filter(key=key).values_list("value", flat=True)[:1]
    return next(iter(found), default)


@tool("store.put", transactional=True)
def put(key: Key, value: Any, if_absent: bool = False) -> dict[str, bool]:
    """Puts `value` under `key` and returns `{created}`. With `if_absent` an existing value is left alone."""
    from runs.models.store import StoreItem

    written = {"value": value, "updated_at": timezone.now()}
    for _ in range(_ROUNDS):
        if if_absent:
            if StoreItem.objects.filter(key=key).exists():
                return {"created": False}
        elif StoreItem.objects.filter(key=key).update(**written):
            return {"created": False}
        try:
            with transaction.atomic():  # a savepoint: a key that another put has just created must not spoil the call
                StoreItem.objects.create(key=key, **written)
        except IntegrityError:
            continue
        return {"created": True}
    raise ToolError("store-busy", f"the key '{key}' kept changing under this call", retryable=True)


@tool("store.delete", transactional=True)
def delete(key: Key) -> dict[str, bool]:
    """Removes `key` and returns `{deleted}`: whether there was something under it."""
    from runs.models.store import StoreItem

    return {"deleted": bool(StoreItem.objects.filter(key=key).delete()[0])}
