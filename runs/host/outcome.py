"""What one advance of a run can come to. The set is closed: who advances a run handles each of these."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Succeeded:
    output: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """`error`: code, message, line, excerpt, stack, tool, callSeq, retryable, detail."""

    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Canceled:
    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Parked:
    """Gives the worker up until `wake_at` (ms since the epoch). `wait`: what is open, for people to read."""

    wake_at: int
    wait: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Released:
    """Handed over: the worker is stopping and the next claim goes on from the journal."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Another worker holds the run; nothing more was written."""


Outcome = Succeeded | Failed | Canceled | Parked | Released | Lost
Ending = Succeeded | Failed | Canceled
