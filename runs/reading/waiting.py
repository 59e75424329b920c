"""What a run waits for, each part with since, until and what would answer it; and what its inbox keeps meanwhile."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from journal import codec
from journal.entries import Kind
from journal.models import RunJournal
from runs import signals
from runs.copies import as_it_was
from runs.lifecycle import TERMINAL, Status
from runs.models import Message, Run
from runs.reading.cutting import Shown, shown
from runs.times import from_ms

PARTS = 50
KEPT = 50


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is waited for. `kind`: timer, wait, retry, child or attempt. `signal` is the name that answers a
    wait, "" for any; `wait_id` is there for a wait alone. `error` is that of the attempt that failed."""

    kind: str
    call_seq: int
    since: datetime | None = None
    until: datetime | None = None
    line: int = 0
    label: str = ""
    signal: str = ""
    wait_id: str = ""
    child_id: str = ""
    attempt: int = 0
    error: Any = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A signal in the inbox that nothing has taken yet."""

    name: str
    payload: Shown
    sent: datetime
    wait_id: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """`parts`: at most 50, waits first and then the next one that is due; `more` of them there are."""

    parts: list[Part]
    more: int
    kept: list[Kept]


def waiting(run: Run) -> Waiting:
    """At most three queries. Of a run that is not parked only its open waits are told: the rest moves on by itself. Of
    a copy, what the run waited for."""
    run = as_it_was(run)
    if run.status in TERMINAL:
        return Waiting([], 0, [])
    parked = run.status == Status.WAITING
    open_parts = list(run.wait or []) if parked else [wait.as_part() for wait in signals.open_waits(run)]
    open_parts.sort(key=lambda part: (part["kind"] != "wait", part.get("wakeAt") or 2**60, part["callSeq"]))
    told = open_parts[:PARTS]
    entries = _entries(run, [part["callSeq"] for part in told])
    return Waiting([_part(run, part, entries) for part in told], len(open_parts) - len(told), _kept(run))


def _entries(run: Run, call_seqs: list[int]) -> dict[int, list[tuple[int, dict[str, Any]]]]:
    """The entries (at, body) of these calls that count."""
    rows = RunJournal.objects.filter(run_id=run.journal_id, call_seq__in=call_seqs, superseded_by=None).exclude(
        call_seq=0
    )
    found: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for call_seq, at, data in rows.order_by("seq").values_list("call_seq", "at", "entry"):
        found.setdefault(call_seq, []).append((at, codec.decode(data)))
    return found


def _part(run: Run, part: dict[str, Any], entries: dict[int, list[tuple[int, dict[str, Any]]]]) -> Part:
    seq = part["callSeq"]
    until = from_ms(part["wakeAt"]) if part.get("wakeAt") else None
    if part["kind"] == "attempt":
        return Part("attempt", 0, run.updated_at, until, attempt=part["attempt"], error=run.error)
    mine = entries.get(seq, [])
    asked = mine[0][1] if mine else {}
    at = mine[0][0] if mine else None
    attempt, error = 0, None
    for later, body in mine:
        if body["kind"] == Kind.TIMER and "retry" in body:
            at, attempt, error = later, body["retry"] + 1, body["error"]
    return Part(
        part["kind"],
        seq,
        None if at is None else from_ms(at),
        until,
        line=asked.get("line") or 0,
        label=_label(part, asked),
        signal=(part.get("match") or {}).get("signal") or "",
        wait_id=part.get("waitId") or "",
        child_id=asked.get("childRunId") or "",
        attempt=attempt,
        error=error,
    )


def _label(part: dict[str, Any], asked: dict[str, Any]) -> str:
    """What a person calls it: the label of a wait, the title of a child, the narration of a call."""
    for name in ("label", "title", "description", "tool", "agent", "workflow"):
        if text := part.get(name) or asked.get(name):
            return str(text)
    return ""


def _kept(run: Run) -> list[Kept]:
    rows = Message.objects.filter(run_id=run.pk, kind=Message.Kind.SIGNAL, taken_seq=None).order_by("pk")[:KEPT]
    return [Kept(row.name, shown(row.payload, 2_000), row.created_at, row.wait_id) for row in rows]
