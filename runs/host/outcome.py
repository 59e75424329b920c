"""What one advance of a run can come to. The set is closed: who advances a run handles each of these."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Succeeded:
    output: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """`error`: code, message, line, excerpt, stack, tool, callSeq, retryable, detail, and childRunId of one that
    came from a child."""

    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Canceled:
    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Continued:
    """Handed on to a successor that starts with `state` as its input."""

    state: Any


@dataclass(frozen=True, slots=True)
class Parked:
    """Gives the worker up until `wake_at` (ms since the epoch; None: until a message). `wait`: what is open, for people
    to read. `seen`: the ids of the letters that are kept, so that parking and a new one cannot miss each other; None
    where nothing listens, and no letter is a reason to go on."""

    wake_at: int | None
    wait: list[dict[str, Any]]
    seen: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """Handed over: the worker is stopping and the next claim goes on from the journal."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Another worker holds the run; nothing more was written."""


Ending = Succeeded | Failed | Canceled | Continued
Outcome = Ending | Parked | Released | Lost
