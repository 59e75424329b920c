"""A run, its journal and its calls as JSON values: what `--json` prints."""

from datetime import datetime
from typing import Any

from journal import store
from journal.entries import Entry, Kind
from runs import copies
from runs.codes import help_of
from runs.conf import conf
from runs.errors import BadInput
from runs.models import Run
from runs.words import status_words, waits

_TIMES = ("created", "queued", "started", "finished", "wake", "deadline", "cancel_requested")


def result(run: Run, **more: Any) -> dict[str, Any]:
    """What became of a run, for who started it."""
    return {"id": run.pk, "status": run.status, "output": run.output, "error": run.error} | more


def facts(run: Run) -> dict[str, Any]:
    """Everything about a run but its entries. Times are ISO 8601 in UTC."""
    journal, limits = run.journal, conf()
    times = {f"{_camel(name)}At": _iso(getattr(run, f"{name}_at")) for name in _TIMES}
    return {
        **result(run),
        "words": status_words(run),
        "waitsFor": waits(run),
        "imported": copies.told(run),
        "title": run.title,
        "kind": run.kind,
        "queue": run.queue,
        "origin": run.origin,
        "key": run.idempotency_key,
        "script": str(run.script_version) if run.script_version else None,
        "concurrencyKey": run.concurrency_key,
        "concurrencyLimit": run.concurrency_limit,
        **times,
        "worker": run.worker,
        "attempt": run.attempt,
        "maxAttempts": run.max_attempts,
        "parent": run.parent_id,
        "parentCallSeq": run.parent_call_seq,
        "parentStep": run.parent_step,
        "continuedFrom": run.continued_from_id,
        "continuedAs": run.successor or None,
        "forkedFrom": run.forked_from_id,
        "crashes": run.crashes,
        "plan": run.plan,
        "progress": run.progress,
        "input": run.input,
        "errorHelp": help_of(run.error),
        "journal": {
            "entries": journal.next_seq - 1,
            "maxEntries": limits.journal_max_entries,
            "bytes": journal.bytes,
            "maxBytes": limits.journal_max_bytes,
            "cpuMs": round(journal.cpu_ms, 1),
        },
    }


def call_facts(run: Run, call_seq: int) -> dict[str, Any]:
    """One ctx call: what was asked, what came of it, and its entries; raises `BadInput` for a callSeq that has none."""
    entries = store.read_call(run.journal_id, call_seq) if 0 < call_seq < 2**31 else []
    if not entries:
        raise BadInput(
            f"run {run.pk} has no call {call_seq}; manage.py showrun {run.pk} --journal shows the calls there are"
        )
    asked, ended = entries[0], entries[-1]
    call: dict[str, Any] = {"callSeq": call_seq, "kind": asked.kind}
    for name in ("tool", "childRunId", "step", "description", "input", "line"):
        call[name] = asked.body.get(name)
    done = ended.body if ended.kind == Kind.RESULT else {}
    call |= {"status": done.get("status"), "output": done.get("output"), "error": done.get("error")}
    call |= {"attempts": done.get("attempts", 1), "reexecuted": done.get("reexecuted", False)}
    return call | {"entries": [entry.as_dict() for entry in entries]}


def entries_of(run: Run) -> list[Entry]:
    return store.read(run.journal_id)


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
