"""The model field for one JSON value stored as CBOR bytes, on every database alike."""

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.expressions import Expression

from journal import codec


class CborField(models.BinaryField):  # type: ignore[type-arg]
    """Holds a JSON value. With `null=True` None is SQL's NULL, absence; without, it is the JSON value null."""

    description = "a JSON value, stored as CBOR"

    def from_db_value(self, value: Any, expression: Expression, connection: BaseDatabaseWrapper) -> Any:
        return None if value is None else codec.decode(value)

    def get_prep_value(self, value: Any) -> Any:
        return None if value is None and self.null else codec.encode(value)

    def get_default(self) -> Any:
        if not self.has_default():
            return None
        return self.default() if callable(self.default) else self.default

    def value_to_string(self, obj: models.Model) -> str:
        value = self.value_from_object(obj)
        return "" if value is None else codec.encode(value).hex()

    def to_python(self, value: Any) -> Any:
        return value
