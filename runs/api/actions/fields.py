"""Kinds of fields that several actions share, each with its bounds and what it means."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, Field, GetCoreSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from runs.audit import REASON_MAX
from runs.models.script import NAME
from runs.signals import ID_MAX, NAME_MAX
from runs.starting import KEY_MAX, TITLE_MAX

GREATEST = 2**31 - 1
_SAID = r"\S"  # not empty, not blank


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


RunId = Annotated[str, Field(description="The id of the run, all 26 characters of it.")]
CallSeq = Annotated[int, Field(ge=1, le=GREATEST, description="The callSeq of one ctx call of the run.")]
Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_as_time, json_schema_input_type=datetime)]
Said = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_SAID)]
Title = Annotated[str, StringConstraints(max_length=TITLE_MAX)]
Key = Annotated[
    str,
    StringConstraints(min_length=1, max_length=KEY_MAX, pattern=_SAID),
    Field(description="Idempotency key of the run: the same key again gives the run that has it, and makes none."),
]
SignalName = Annotated[str, StringConstraints(min_length=1, max_length=NAME_MAX, pattern=_SAID)]
SignalId = Annotated[str, StringConstraints(min_length=1, max_length=ID_MAX, pattern=_SAID)]
ScriptName = Annotated[str, StringConstraints(pattern=rf"^{NAME}(@[1-9][0-9]{{0,8}})?$", max_length=90)]
Source = Annotated[str, Field(description="The JavaScript of the script: one module with a default export.")]
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
    StringConstraints(max_length=REASON_MAX),
    Field(description="Why, for people: it stands in the run's activity."),
]
