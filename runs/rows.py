"""Rows of a model by plain SQL, where the ORM would build and take apart the same statement for each run anew.

The ORM's own fields prepare and convert the values, so that a row is the same whichever way it is written or read.
"""

# ruff: noqa: SLF001  (`_meta` is private by name alone; Django documents it)

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from django.db import connection, models

M = TypeVar("M", bound=models.Model)
Statement = tuple[str, list[Any]]  # and its parameters


@cache
def columns(model: type[models.Model], alias: str) -> str:
    """The columns of all fields, for a SELECT or RETURNING whose rows `load` takes."""
    return ", ".join(f"{alias}.{field.column}" for field in model._meta.concrete_fields)


def width(model: type[models.Model]) -> int:
    """How many columns that is."""
    return len(model._meta.concrete_fields)


def load(model: type[M], row: Sequence[Any]) -> M:
    """The instance of one such row."""
    values = list(row)
    for at, convert, expression in _converters(model, connection.vendor):
        values[at] = convert(values[at], expression, connection)
    fields = [field.attname for field in model._meta.concrete_fields]
    return model.from_db(connection.alias, fields, values)


@cache
def _converters(model: type[models.Model], vendor: str) -> list[tuple[int, Callable[..., Any], Any]]:
    found = []
    for at, field in enumerate(model._meta.concrete_fields):
        expression = field.get_col(model._meta.db_table)
        backend = connection.ops.get_db_converters(expression)
        found += [(at, convert, expression) for convert in [*backend, *field.get_db_converters(connection)]]
    return found


def assignments(model: type[models.Model], values: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """`column = %s, ...` of an UPDATE, and the parameters; `values` by the names of fields, no expressions."""
    fields = [cast("Any", model._meta.get_field(name)) for name in values]
    sql = ", ".join(f"{field.column} = %s" for field in fields)
    return sql, [_prepared(field, value) for field, value in zip(fields, values.values(), strict=True)]


def insertion(row: models.Model, *, unless: str = "", as_it_is: bool = False) -> Statement:
    """An INSERT of an instance that is not yet in the database, and its parameters; `unless` is a query without any,
    with whose row nothing is written. What is None is left out. `as_it_is`: fields that set themselves when they are
    saved, such as `created_at`, keep what they have."""
    fields = [cast("Any", field) for field in row._meta.concrete_fields]
    told = [field.value_from_object(row) if as_it_is else field.pre_save(row, True) for field in fields]
    values = {field.column: _prepared(field, value) for field, value in zip(fields, told, strict=True)}
    given = {column: value for column, value in values.items() if value is not None}
    names, marks = ", ".join(given), ", ".join(["%s"] * len(given))
    what = f"SELECT {marks} WHERE NOT EXISTS ({unless})" if unless else f"VALUES ({marks})"
    return f"INSERT INTO {row._meta.db_table} ({names}) {what}", list(given.values())


def mark_written(row: models.Model) -> None:
    """What `save` would leave behind on an instance that has been inserted."""
    row._state.adding, row._state.db = False, connection.alias


def _prepared(field: Any, value: Any) -> Any:
    return field.get_db_prep_save(value, connection)
