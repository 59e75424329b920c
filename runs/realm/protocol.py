"""What crosses the border of the realm, as plain values: messages out, one table and then deliveries in."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes and ms; `fuel_factor` stretches the engine's clock, which counts all threads of the process."""

    memory_bytes: int = 64 * 1024 * 1024
    stack_bytes: int = 1024 * 1024
    fuel_ms: int = 2_000
    result_max_bytes: int = 256 * 1024
    fuel_factor: float = 1


@dataclass(frozen=True, slots=True)
class Table:
    """What replay answers from. `groups`: [op, callSeq, line, done, ...key parts] in the order of issue; `completions`:
    [callSeq, ok, value or error] in the order of the journal; `call_seq`: the last one given out. `lenient`: the script
    may make calls that the journal does not know, and need not make those that it has (see `Leftovers`)."""

    groups: list[list[Any]] = field(default_factory=list)
    completions: list[list[Any]] = field(default_factory=list)
    call_seq: int = 0
    lenient: bool = False


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Where a lenient replay has come to, in callSeqs. `strayed`: a strict one would have diverged. `early`: something
    new was asked for before all that is reused had been. `order`: of what was delivered. `unasked`: recorded, and not
    made by the script. `open`: made, and not answered."""

    strayed: bool
    early: bool
    order: list[int]
    unasked: list[int]
    open: list[int]


@dataclass(frozen=True, slots=True)
class Told:
    """What the realm tells of a thrown value. `action` holds the facts of the ctx call that it came from, where it did:
    code, message, retryable, detail, callSeq, tool, childRunId, line; `direct` when the action's error itself was
    thrown."""

    name: str
    message: str
    stack: str
    direct: bool = False
    action: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The script called a tool; `again` when the journal has this call but no result of it."""

    call_seq: int
    again: bool
    line: int
    tool: str
    input: Any
    options: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Sleep:
    """The script sleeps for `ms`; `again` when the timer is in the journal and has not fired."""

    call_seq: int
    again: bool
    line: int
    ms: int


@dataclass(frozen=True, slots=True)
class Delegate:
    """The script spawned a child; `spec` has script, agent or workflow, and input, title, output (a JSON Schema).
    `step`: {id, label} of the innermost step in whose code it did, None where in none."""

    call_seq: int
    again: bool
    line: int
    spec: dict[str, Any]
    description: str | None
    step: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """The script waits for a signal; `timeout` in ms, None for no end."""

    call_seq: int
    again: bool
    line: int
    match: dict[str, Any]
    timeout: int | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Continue:
    """The script hands on to a successor with `state` as its input."""

    state: Any


@dataclass(frozen=True, slots=True)
class Now:
    call_seq: int
    value: int


@dataclass(frozen=True, slots=True)
class Log:
    call_seq: int
    level: str
    message: str
    data: Any


@dataclass(frozen=True, slots=True)
class Step:
    """`phase` is start or end; `ok` and `error` are of the end."""

    call_seq: int
    step_id: str
    label: str
    phase: str
    ok: bool
    error: str | None


@dataclass(frozen=True, slots=True)
class PlanEdit:
    call_seq: int
    plan: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan as it stands now; shown on the run, not journaled."""

    plan: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Progress:
    fraction: float | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Unhandled:
    """A ctx promise was rejected and nobody consumes it."""

    call_seq: int
    what: str
    line: int


@dataclass(frozen=True, slots=True)
class Settled:
    """The main function has ended: `value` is its result, or a `Told`; `line` is that of its last effect."""

    ok: bool
    value: Any
    line: int


Message = (
    ToolCall
    | Sleep
    | Delegate
    | Wait
    | Continue
    | Now
    | Log
    | Step
    | PlanEdit
    | Planned
    | Progress
    | Unhandled
    | Settled
)

_MESSAGES: dict[str, type] = {
    "tool": ToolCall,
    "sleep": Sleep,
    "agent": Delegate,
    "wait": Wait,
    "continue": Continue,
    "now": Now,
    "log": Log,
    "step": Step,
    "plan": PlanEdit,
    "planned": Planned,
    "progress": Progress,
    "unhandled": Unhandled,
    "settled": Settled,
}


def messages(text: str) -> list[Message]:
    """The messages of one drain: JSON arrays [op, ...fields], each followed by a comma."""
    if not text:
        return []
    found: list[Message] = []
    for op, *fields in json.loads(f"[{text[:-1]}]"):
        if op == "settled" and not fields[0]:
            fields[1] = Told(**fields[1])
        found.append(_MESSAGES[op](*fields))
    return found
