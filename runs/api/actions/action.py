"""What an action is: its fields, its answer, the role that it takes, and the function that does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pydantic

from runs.api.caller import Caller
from runs.api.roles import Role

Also = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Action:
    """`do` gets the caller, the checked fields and `also`, which it calls with its answer inside the transaction of
    what it changes; an action that only reads does not call it. `Result` documents the answer."""

    name: str
    role: Role
    changes: bool
    Params: type[pydantic.BaseModel]
    Result: type[pydantic.BaseModel]
    summary: str
    do: Callable[[Caller, Any, Also], dict[str, Any]]
