"""Whether a value fits a JSON Schema (2020-12). The schema is the script's: it may neither fetch anything nor compute
without end."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from runs.realm.patterns import BadPattern, Patterns

_MOST_REFERENCES = 50_000  # followed in one check: references to references can double without end
_NO_FORMATS = FormatChecker(formats=())  # a pattern is JavaScript's, not Python's


class _TooMuch(Exception):
    pass


def schema_problem(schema: Any) -> str | None:
    """Why `schema` cannot be used, None when it can."""
    if _names_patterns_of_properties(schema):
        return "patternProperties is not supported; name the properties"
    try:
        Draft202012Validator.check_schema(_without_dialect(schema), format_checker=_NO_FORMATS)
    except SchemaError as fault:
        return f"{fault.json_path}: {fault.message:.300}"
    except RecursionError:
        return "it is nested too deeply"
    return None


def problem_with(value: Any, schema: Any) -> str | None:
    """What does not fit, with its path; None when all is well."""
    try:
        error = best_match(_validator(_without_dialect(schema)).iter_errors(value))
    except Unresolvable as fault:
        return f"the schema refers to what it does not have: {fault}"
    except BadPattern as fault:
        return f"a pattern of the schema {fault}"
    except (_TooMuch, RecursionError):
        return "the schema refers to itself without end"
    except ArithmeticError as fault:
        return f"the schema has a number that cannot be used: {fault}"
    return None if error is None else f"{error.json_path}: {error.message:.500}"


def _validator(schema: Any) -> Validator:
    patterns, left = Patterns(), _MOST_REFERENCES
    stock = Draft202012Validator.VALIDATORS

    def pattern(_: Any, wanted: str, instance: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not patterns.match(wanted, instance):
            yield ValidationError(f"{instance!r:.200} does not match {wanted!r:.200}")

    def counted(keyword: str) -> Any:
        def follow(validator: Any, *given: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise _TooMuch
            return stock[keyword](validator, *given)

        return follow

    rules = {"pattern": pattern, "$ref": counted("$ref"), "$dynamicRef": counted("$dynamicRef")}
    bounded: type[Validator] = extend(Draft202012Validator, rules)  # type: ignore[no-untyped-call]
    return bounded(schema, registry=Registry())


def _without_dialect(schema: Any) -> Any:
    """A part that names another dialect would be checked by that one's own rules, with its own expressions."""
    if isinstance(schema, dict):
        return {
            name: _without_dialect(part)
            for name, part in schema.items()
            if not (name == "$schema" and isinstance(part, str))
        }
    return [_without_dialect(part) for part in schema] if isinstance(schema, list) else schema


def _names_patterns_of_properties(schema: Any) -> bool:
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            if "patternProperties" in part:
                return True
            parts += part.values()
        elif isinstance(part, list):
            parts += part
    return False
