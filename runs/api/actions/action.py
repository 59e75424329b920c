"""An action of the API: a name, who may ask for it, its fields and its answer, and the function that does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from runs.api.caller import Caller
from runs.api.roles import Role

Answer = dict[str, Any]
Also = Callable[[Answer], None]


class Params(BaseModel):
    """The fields of an action, camelCase and strict; what has no field is refused. The docstring of an action's own is
    its description in the document."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, frozen=True)


class Result(BaseModel):
    """What an action answers; it documents the answer, which itself is a plain dict of JSON values."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class Action:
    """`role` is the least that the key or token must have; the user's own permissions are asked besides.

    One that `changes` something takes a `clientRequestId`, and passes each answer to `also` once, in the transaction in
    which it did what the answer tells of. One that only reads never calls it. `do` raises `ApiError`, `Refused` and
    `Forbidden`, and then has changed nothing.
    """

    name: str
    role: Role
    changes: bool
    Params: type[Params]
    Result: type[Result]
    summary: str
    do: Callable[[Caller, Any, Also], Answer]
