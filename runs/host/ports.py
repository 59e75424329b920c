"""What the host is given: a journal, effects and a clock. Each exists on the database and in memory."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Protocol

from journal.entries import Entry
from runs.host.outcome import Ending, Parked


@dataclass(frozen=True, slots=True)
class Head:
    """Where the journal ends: `entries`, their `bytes`, and the `cpu_ms` that new work has cost so far."""

    entries: int = 0
    bytes: int = 0
    cpu_ms: float = 0
    fence: int = 0  # of the claim, which counts from 1
    call_seq: int = 0  # the highest ever given out: a number names one call and its idempotency token for ever


@dataclass(frozen=True, slots=True)
class NewChild:
    """A child run to be made: of `source`, or of the registered `agent`; `script_version` and `script_id`
    are ids of the library, `step` is {id, label} of the step that it belongs to."""

    run_id: str
    call_seq: int
    input: Any
    title: str = ""
    source: str | None = None
    agent: str | None = None
    script_version: int | None = None
    script_id: int | None = None
    step: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """A message of the inbox: a signal with its name and payload, or the end of the child that answers `call_seq`."""

    id: int
    kind: str
    payload: Any
    name: str = ""
    wait_id: str = ""
    call_seq: int | None = None


@dataclass(slots=True)
class Round:
    """What commits together: entries and what changed on the run's row. `ending` moves the run along with them."""

    entries: list[Entry] = field(default_factory=list)
    cpu_ms: float = 0
    plan: Any = None
    progress: Any = None
    ending: Ending | Parked | None = None
    children: list[NewChild] = field(default_factory=list)
    letters: dict[int, int] = field(default_factory=dict)  # id of a letter that was taken -> seq of its entry


Work = Callable[[str | None], tuple[bool, Sequence[Entry]]]


class JournalPort(Protocol):
    """Every write carries the fence and raises `journal.errors.FenceLost` when it is no longer ours."""

    def read(self) -> list[Entry]: ...

    def head(self) -> Head: ...

    def kept(self, call_seqs: Sequence[int]) -> list[Entry]:
        """The entries of calls that an operator's retry or rewind has left behind."""

    def letters(self) -> list[Letter]:
        """The inbox: what has not been taken, in order of arrival."""

    def commit(self, round: Round) -> None:
        """One transaction; on return it is on disk."""

    def commit_around(self, round: Round, work: Work) -> None:
        """One transaction: the round, then `work(None)`, then the entries that it returns. Where it returns False
        first, what it did to the database is undone and its entries are written all the same. Where it has left the
        transaction broken, `work(reason)` gives the entries to write instead."""


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt of a tool call. `cancelled` is set when the result is no longer wanted."""

    run_id: str
    call_seq: int
    tool: str
    input: Any
    attempt: int
    timeout_ms: float | None
    cancelled: Event = field(default_factory=Event)
    begun: Event = field(default_factory=Event)  # set when it no longer waits for a thread
    progress: Callable[[Any], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Completion:
    """`value` is the result, or the error's code, message, retryable, detail."""

    call_seq: int
    attempt: int
    ok: bool
    value: Any


class EffectsPort(Protocol):
    """Executes tool calls. `start` returns at once; completions arrive at `wait`, each exactly once."""

    def transactional(self, tool: str) -> bool: ...

    def timeout_ms(self, tool: str) -> float | None:
        """The tool's own time limit, where the call gives none."""

    def start(self, call: Call) -> None: ...

    def execute(self, call: Call) -> Completion:
        """Runs a transactional tool here and now."""

    def prepare_child(self, call_seq: int, spec: dict[str, Any]) -> tuple[NewChild | None, dict[str, Any] | None]:
        """The child that a delegate spec asks for, or the error of one that cannot be made."""

    def wait(self, seconds: float | None) -> list[Completion]:
        """Blocks until something completes, `poke` is called or the time is over; may return an empty list. Raises
        `journal.errors.FenceLost` where a call could not begin because the run is no longer ours."""

    def poke(self) -> None: ...


@dataclass(slots=True)
class Control:
    """What others ask of a resident run; whoever sets one of these pokes the effects. Times in ms since the epoch."""

    cancel: str | None = None  # the reason
    lost: bool = False
    mail: bool = False  # the inbox has something new
    release_at: int | None = None  # stopping: hand over when idle, at the latest then


class Clock(Protocol):
    def now(self) -> int:
        """ms since the epoch."""


class SystemClock:
    """This host's time, but not before `not_before` (ms since the epoch): a run that another host's clock has found due
    is due here too, however far the two are apart."""

    def __init__(self, not_before: int = 0) -> None:
        self._not_before = not_before

    def now(self) -> int:
        return max(time.time_ns() // 1_000_000, self._not_before)
