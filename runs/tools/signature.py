"""From a Python signature to a check of the script's input: one pydantic model, built once when the tool is registered.

JSON's types are taken at their word: "5" is no number, 1 is no boolean, 5.5 is no whole number. A whole number will do
where a float is wanted, and text where Python has a type that JSON has not (dates, UUIDs, decimals, enums).
"""

import inspect
import keyword
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pydantic_core
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo

from runs.tools.complaints import invalid_fields, not_an_object, reserved_field
from runs.tools.context import ToolContext

_UNION = (typing.Union, types.UnionType)


class SignatureError(Exception):
    """The function cannot be called with one JSON object; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Signature:
    """`parameters` maps the model's own field names (`f0`, `f1`: they clash with nothing) to the function's."""

    tool: str
    model: type[BaseModel]
    parameters: dict[str, str]
    contexts: tuple[str, ...]
    takes_anything: bool  # nothing but `**fields` without a type

    def bind(self, given: Any, context: ToolContext) -> dict[str, Any]:
        """The keyword arguments for the function; raises `ToolError("invalid-input")`.

        None counts as {}. Parameters that were not given are left to the function's own defaults.
        """
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise not_an_object(self.tool, given)
        arguments = dict(given) if self.takes_anything else self._checked(given)
        for name in self.contexts:
            if name in arguments:
                raise reserved_field(self.tool, name)
            arguments[name] = context
        return arguments

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the input object."""
        schema = self.model.model_json_schema(by_alias=True)
        schema.pop("title", None)
        for field in schema.get("properties", {}).values():
            field.pop("title", None)
        return schema

    def _checked(self, given: dict[str, Any]) -> dict[str, Any]:
        try:
            model = self._validate(given)
        except ValidationError as error:
            names = [field.alias or name for name, field in self.model.model_fields.items()]
            raise invalid_fields(self.tool, error.errors(include_url=False), given, names) from None
        arguments = dict(model.model_extra or {})
        for name in model.model_fields_set & self.parameters.keys():
            arguments[self.parameters[name]] = getattr(model, name)
        return arguments

    def _validate(self, given: dict[str, Any]) -> BaseModel:
        """Strict JSON, not strict Python: only there is "2024-05-01" a date and a list a tuple."""
        try:
            return self.model.model_validate_json(pydantic_core.to_json(given), strict=True)
        except ValidationError as error:
            if error.errors(include_url=False)[0]["type"] != "json_invalid":  # else nested too deep for its parser
                raise
        except pydantic_core.PydanticSerializationError:
            pass  # a lone surrogate, which UTF-8 cannot carry
        return self.model.model_validate(given, strict=True)


def read_signature(tool: str, function: Callable[..., Any], names: Mapping[str, Any]) -> Signature:
    """The signature of a function; raises `SignatureError`. `names` helps to resolve annotations written as text."""
    hints = _hints(function, names)
    fields: dict[str, Any] = {}
    parameters: dict[str, str] = {}
    contexts: list[str] = []
    extra: Any = None
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints.get(name, Any)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise SignatureError(f"{parameter} cannot be given by name, and a script gives all its values by name")
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = hint
        elif _is_context(hint):
            contexts.append(name)
        else:
            field = f"f{len(parameters)}"
            parameters[field] = name
            fields[field] = (hint, _field(parameter))
    return Signature(
        tool=tool,
        model=_model(tool, fields, extra),
        parameters=parameters,
        contexts=tuple(contexts),
        takes_anything=not parameters and extra is Any,
    )


def _hints(function: Callable[..., Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters' annotations, those written as text resolved; what the function returns does not matter here."""
    original = inspect.unwrap(function)
    annotations = {name: hint for name, hint in getattr(original, "__annotations__", {}).items() if name != "return"}
    # ToolContext is often imported under TYPE_CHECKING only, so it is known here in any case.
    known = {"ToolContext": ToolContext, **getattr(original, "__globals__", {})}
    holder = types.SimpleNamespace(__annotations__=annotations)
    try:
        return typing.get_type_hints(holder, known, dict(names), include_extras=True)
    except NameError as error:
        raise SignatureError(
            f"{error}; a tool's types must be importable at run time, not under TYPE_CHECKING"
        ) from error
    except (TypeError, SyntaxError, AttributeError) as error:
        raise SignatureError(f"an annotation cannot be read ({error})") from error


def _is_context(hint: Any) -> bool:
    if typing.get_origin(hint) in _UNION:
        return any(_is_context(part) for part in typing.get_args(hint))
    return isinstance(hint, type) and issubclass(hint, ToolContext)


def _field(parameter: inspect.Parameter) -> Any:
    if isinstance(parameter.default, FieldInfo):
        raise SignatureError(f"write {parameter.name}: Annotated[..., Field(...)] with the default after it")
    stem = parameter.name.removesuffix("_")
    alias = stem if keyword.iskeyword(stem) else parameter.name
    if parameter.default is inspect.Parameter.empty:
        return Field(alias=alias)
    try:
        pydantic_core.to_json(parameter.default)
    except pydantic_core.PydanticSerializationError:  # shown in no schema, but a default all the same
        return Field(alias=alias, default_factory=lambda: parameter.default)
    return Field(alias=alias, default=parameter.default)


def _model(tool: str, fields: dict[str, Any], extra: Any) -> type[BaseModel]:
    # arbitrary_types_allowed stays off: a parameter that JSON cannot fill is a mistake to report at import.
    body: dict[str, Any] = {
        "model_config": ConfigDict(extra="forbid" if extra is None else "allow"),
        "__module__": __name__,
    }
    if extra is not None:
        body["__annotations__"] = {"__pydantic_extra__": dict[str, extra]}
    base = types.new_class("Input", (BaseModel,), {}, lambda namespace: namespace.update(body))
    try:
        model: type[BaseModel] = create_model(tool, __base__=base, **fields)
        model.model_json_schema()
    except (PydanticUserError, TypeError, ValueError) as error:
        raise SignatureError(f"a parameter has a type that JSON cannot fill ({error})") from error
    return model
