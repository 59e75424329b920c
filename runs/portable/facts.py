"""The facts of a run as a file has them: which column each is of, and what it may be. The one table of both ways."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from runs.copies import exported, micros, moment
from runs.lifecycle import Status
from runs.models import Run
from runs.portable import shapes
from runs.portable.shapes import Shape

# What was exported is never itself a copy: a copy is exported as what it was.
STATUSES = tuple(status.value for status in Status if status is not Status.IMPORTED)
# Values that the row of a copy holds as that of any run does.
IN_ROW = ("input", "output", "error", "plan", "progress")
# Facts that are CBOR values of their own.
VALUES = (*IN_ROW, "wait", "budget", "parentStep")


@dataclass(frozen=True, slots=True)
class Fact:
    """`name` in the file; `of(run)` reads it; `shape` is what it may be."""

    name: str
    of: Callable[[Run], Any]
    shape: Shape


def _at(column: str) -> Callable[[Run], int | None]:
    def read(run: Run) -> int | None:
        value = getattr(run, column)
        return None if value is None else micros(value)

    return read


def _column(column: str) -> Callable[[Run], Any]:
    return lambda run: getattr(run, column)


def _facts() -> Iterator[Fact]:  # one line for each fact
    def fact(name: str, shape: Shape, column: str = "") -> Fact:
        return Fact(name, _column(column or name), shape)

    def time(name: str, column: str, *, optional: bool = True) -> Fact:
        return Fact(name, _at(column), shapes.optional(shapes.MICROS) if optional else shapes.MICROS)

    text, number, optional = shapes.text, shapes.number, shapes.optional
    run_id = shapes.RUN_ID
    no_run = shapes.either(
        "the id of a run, or nothing",
        run_id,
        shapes.one_of(
            "",
        ),
    )
    yield fact("id", run_id)
    yield fact("kind", shapes.one_of(*Run.Kind.values))
    yield fact("title", text(200))
    yield fact("source", optional(shapes.SHA256), "source_id")
    yield Fact("script", lambda run: str(run.script_version) if run.script_version else None, optional(text(120)))
    yield fact("schedule", optional(text(80)))
    yield Fact("owner", lambda run: run.owner.get_username() if run.owner else None, optional(text(254)))
    yield fact("origin", text(40))
    yield fact("key", optional(text(500)), "idempotency_key")
    yield fact("budget", shapes.BUDGET)
    yield fact("parent", optional(run_id), "parent_id")
    yield fact("root", run_id, "root_id")
    yield fact("parentCallSeq", optional(number(2**31 - 1)), "parent_call_seq")
    yield fact("parentStep", optional(shapes.STEP), "parent_step")
    yield fact("depth", number(2**15 - 1))
    yield fact("agent", text(80))
    yield fact("chain", no_run)
    yield fact("continuedFrom", optional(run_id), "continued_from_id")
    yield fact("successor", no_run)
    yield fact("forkedFrom", optional(run_id), "forked_from_id")
    yield fact("status", shapes.one_of(*STATUSES))
    yield fact("input", shapes.ANY)
    yield fact("output", shapes.ANY)
    yield fact("error", optional(shapes.ERROR))
    yield fact("errorCode", text(64), "error_code")
    yield fact("failedTool", optional(text(80)), "failed_tool")
    yield fact("signs", number(63))
    yield fact("wait", optional(shapes.WAIT))
    yield fact("waitsOn", text(40), "waits_on")
    yield fact("plan", optional(shapes.PLAN))
    yield fact("progress", optional(shapes.PROGRESS))
    yield fact("attempt", number(2**15 - 1))
    yield fact("maxAttempts", number(2**15 - 1), "max_attempts")
    yield time("cancelRequestedAt", "cancel_requested_at")
    yield fact("cancelReason", text(500), "cancel_reason")
    yield fact("queue", shapes.one_of(*Run.Queue.values))
    yield fact("priority", shapes.number(2**15 - 1, -(2**15)))
    yield fact("concurrencyKey", optional(text(200)), "concurrency_key")
    yield fact("concurrencyLimit", optional(number(2**15 - 1)), "concurrency_limit")
    yield fact("heldBack", shapes.BOOLEAN, "held_back")
    yield time("wakeAt", "wake_at")
    yield time("deadlineAt", "deadline_at", optional=False)
    yield fact("crashes", number(2**15 - 1))
    yield fact("crashedAtSeq", number(2**31 - 1), "crashed_at_seq")
    yield time("createdAt", "created_at", optional=False)
    yield time("updatedAt", "updated_at", optional=False)
    yield time("queuedAt", "queued_at", optional=False)
    yield time("startedAt", "started_at")
    yield time("finishedAt", "finished_at")
    yield Fact("entries", lambda run: run.journal.next_seq - 1, number(2**31 - 2))
    yield Fact("lastCallSeq", lambda run: run.journal.last_call_seq, number(2**31 - 1))
    yield Fact("journalBytes", lambda run: run.journal.bytes, number(2**62))
    yield Fact("cpuMs", lambda run: run.journal.cpu_ms, shapes.AMOUNT)
    yield Fact("realmVersion", lambda run: run.journal.realm_version, number(2**15 - 1))
    yield Fact("redacted", lambda _run: [], shapes.PATHS)


FACTS = {fact.name: fact for fact in _facts()}


def facts_of(run: Run) -> dict[str, Any]:
    """As they are; of a copy as they were. Values are values, not yet their CBOR. Needs `run.journal`."""
    if run.is_copy:
        return exported(run) | {name: getattr(run, name) for name in IN_ROW}
    return {fact.name: fact.of(run) for fact in FACTS.values()}


def columns_of(facts: dict[str, Any]) -> dict[str, Any]:
    """What the row of a copy has of them: what is looked at and searched for. What would make it another run's
    relative, take a key that is given out once, or be waited for, is told by `imported` alone."""
    kept = ("id", "kind", "title", "budget", "agent", "depth", "signs", "attempt", "queue", "priority", "crashes")
    row = {name: facts[name] for name in (*kept, *IN_ROW)}
    row |= {"source_id": facts["source"], "error_code": facts["errorCode"], "failed_tool": facts["failedTool"]}
    row |= {"parent_step": facts["parentStep"], "max_attempts": facts["maxAttempts"], "origin": facts["origin"]}
    row |= {"cancel_reason": facts["cancelReason"], "crashed_at_seq": facts["crashedAtSeq"]}
    for name in ("cancelRequestedAt", "deadlineAt", "createdAt", "queuedAt", "startedAt"):
        row[f"{_snake(name[:-2])}_at"] = moment(facts[name])
    row["finished_at"] = moment(facts["updatedAt"] if facts["finishedAt"] is None else facts["finishedAt"])
    return row


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
