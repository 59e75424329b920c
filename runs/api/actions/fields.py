"""Kinds of fields that several actions share, each with its bounds and what it means."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, GetCoreSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from runs.audit import REASON_MAX
from runs.models.script import NAME
from runs.signals import ID_MAX, NAME_MAX
from runs.starting import CONCURRENCY_KEY_MAX, KEY_MAX, TITLE_MAX

GREATEST = 2**31 - 1
# As the document says what `_said` and `_storable` refuse: lone surrogates are none that UTF-8 has.
_SOMETHING = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
_NO_NUL = r"^[^\u0000]*$"


@dataclass(frozen=True, slots=True)
class OneOf:
    """A text that is one of these."""

    values: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str]) -> "OneOf":
        return cls(tuple(str(value) for value in values))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.values))


def _as_time(value: Any) -> Any:
    """A text alone: a number could be seconds or milliseconds."""
    if isinstance(value, str):
        return value
    raise PydanticCustomError("time", "write a time of ISO 8601 with its zone, such as 2026-01-31T08:00:00Z")


def _storable(text: str) -> str:
    """What a text column takes on every database."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("text", "has a NUL character or a lone surrogate; write it without")
    return text


def _said(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "is blank; write something, or leave the field out")
    return _storable(text)


def said(most: int) -> Any:
    """The marks of a text that is neither empty nor blank, of at most so many characters."""
    return Field(min_length=1, max_length=most, json_schema_extra={"pattern": _SOMETHING}), AfterValidator(_said)


def text(most: int) -> Any:
    """The marks of a text that may be empty."""
    return Field(max_length=most, json_schema_extra={"pattern": _NO_NUL}), AfterValidator(_storable)


RunId = Annotated[str, Field(description="The id of the run, all 26 characters of it.")]
CallSeq = Annotated[int, Field(ge=1, le=GREATEST, description="The callSeq of one ctx call of the run.")]
Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_as_time, json_schema_input_type=datetime)]
Said = Annotated[str, *said(200)]
Title = Annotated[str, *text(TITLE_MAX)]
Key = Annotated[
    str,
    *said(KEY_MAX),
    Field(description="Idempotency key of the run: the same key again gives the run that has it, and makes none."),
]
ConcurrencyKey = Annotated[str, *said(CONCURRENCY_KEY_MAX)]
SignalName = Annotated[str, *said(NAME_MAX)]
SignalId = Annotated[str, *said(ID_MAX)]
WaitId = Annotated[str, *said(40)]
ScriptName = Annotated[str, StringConstraints(pattern=rf"^{NAME}(@[1-9][0-9]{{0,8}})?$", max_length=90)]
Source = Annotated[
    str,
    Field(
        description="The JavaScript of the script: one module with a default export.",
        json_schema_extra={"pattern": _NO_NUL},
    ),
    AfterValidator(_storable),
]
Children = Annotated[
    str,
    OneOf(("keep", "cancel")),
    Field(
        description="What becomes of live children of calls that are made again: they go on by themselves, or are"
        " canceled. Has to be said where there are any."
    ),
]
Reason = Annotated[
    str,
    *text(REASON_MAX),
    Field(description="Why, for people: it stands in the run's activity."),
]
