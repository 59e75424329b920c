"""The shapes of answers that several actions share."""

from typing import Annotated, Any

from pydantic import Field

from runs.api.actions.action import Result
from runs.api.actions.fields import OneOf
from runs.lifecycle import WAITS_ON, Status
from runs.models import Run

IsStatus = Annotated[str, OneOf.of(Status.values)]
IsKind = Annotated[str, OneOf.of(Run.Kind.values)]
IsQueue = Annotated[str, OneOf.of(Run.Queue.values)]
IsWaitsOn = Annotated[str, OneOf.of(sorted(set(WAITS_ON.values())))]
Time = Annotated[str, Field(json_schema_extra={"format": "date-time"}, description="ISO 8601, in UTC.")]
Json = Annotated[Any, Field(description="Any JSON value.")]


class OpenWaitFacts(Result):
    """A wait of a parked run, which a signal can answer; `until` in ms since the epoch."""

    wait_id: str
    call_seq: int
    match: Annotated[dict[str, Any], Field(description="{} is any signal, {signal: name} that one.")]
    label: str | None
    until: int | None


class JournalUse(Result):
    """How much of its bounds the journal has used."""

    entries: int
    max_entries: int
    bytes: int
    max_bytes: int
    cpu_ms: float


class ImportedFacts(Result):
    """Of a read-only copy that `importrun` has made: its status when it was exported, and what was taken out."""

    at: Time
    status: IsStatus
    changed_at: Time
    redacted: list[str]


class RunFacts(Result):
    """Everything about a run but its entries; the same that `manage.py showrun --json` prints."""

    id: str
    status: IsStatus
    output: Json
    error: Annotated[
        dict[str, Any] | None,
        Field(description="code, message, line, excerpt, stack, tool, callSeq, retryable, detail."),
    ]
    words: Annotated[str, Field(description="The status as a person says it.")]
    waits_for: list[str]
    open_waits: list[OpenWaitFacts]
    imported: ImportedFacts | None
    title: str
    kind: IsKind
    agent: str | None
    owner: Annotated[str | None, Field(description="The name of the user.")]
    queue: IsQueue
    schedule: str | None
    origin: str
    key: str | None
    script: Annotated[str | None, Field(description="name@version, of a run of the library.")]
    concurrency_key: str | None
    concurrency_limit: int | None
    created_at: Time
    queued_at: Time
    started_at: Time | None
    finished_at: Time | None
    wake_at: Time | None
    deadline_at: Time
    cancel_requested_at: Time | None
    worker: str
    attempt: int
    max_attempts: int
    root: Annotated[str, Field(description="The run at the top of its tree: what Subscribe takes as runs/<root>.")]
    parent: str | None
    parent_call_seq: int | None
    parent_step: Json
    continued_from: str | None
    continued_as: Annotated[str | None, Field(description="The run that went on with its state, by continueAsNew.")]
    forked_from: str | None
    crashes: int
    plan: Json
    progress: Json
    input: Json
    error_help: Annotated[str | None, Field(description="What to do about the code of the error.")]
    journal: JournalUse


class CallFacts(Result):
    """One ctx call in a list of a dry replay. `what`: the tool, the child's name, the ms, the signal."""

    call_seq: int
    op: Annotated[str, OneOf(("tool", "agent", "sleep", "wait"))]
    what: str
    input: Json
    line: int


class OrphanFacts(CallFacts):
    """`kept`: its result is used if the script still comes to it."""

    kept: bool


class Stands(Result):
    """How the script has ended, or what it waits for, once its journal has answered. What is not so is left out."""

    settled: bool
    open: list[CallFacts] | None = None
    output: Json = None
    state: Json = None
    error: dict[str, Any] | None = None


class Replay(Result):
    """What another attempt, or a fork, comes to. A run of an agent has no calls, and none of the lists."""

    verb: Annotated[str, OneOf(("retry", "rewind", "fork"))]
    attempt: Annotated[int, Field(description="The number of the attempt; 1 of a fork.")]
    live_children: Annotated[list[str], Field(description="Children that had not ended, of calls made again.")]
    reused: Annotated[list[CallFacts], Field(description="Answered from the journal.")] = []
    new: Annotated[list[CallFacts], Field(description="Executed, now that the script stands where it does.")] = []
    orphans: Annotated[list[OrphanFacts], Field(description="In the journal, and not made up to here.")] = []
    diverged: Annotated[
        bool, Field(description="The journal alone, replayed strictly, would have stopped the run.")
    ] = False
    stands: Stands | None = None
