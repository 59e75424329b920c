"""A run as JSON values: the one shape that `--json` prints, an export holds and the API answers with."""

from datetime import datetime
from typing import Any

from runs import copies
from runs.codes import help_of
from runs.conf import conf
from runs.lifecycle import Status
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
        "openWaits": _open_waits(run),
        "imported": copies.told(run),
        "title": run.title,
        "kind": run.kind,
        "agent": run.agent or None,
        "owner": run.owner.get_username() if run.owner else None,
        "queue": run.queue,
        "schedule": run.schedule,
        "origin": run.origin,
        "key": run.idempotency_key,
        "script": str(run.script_version) if run.script_version else None,
        "concurrencyKey": run.concurrency_key,
        "concurrencyLimit": run.concurrency_limit,
        **times,
        "worker": run.worker,
        "attempt": run.attempt,
        "maxAttempts": run.max_attempts,
        "root": run.root_id,
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


def _open_waits(run: Run) -> list[dict[str, Any]]:
    """Of a parked run, what a signal can answer; times in ms since the epoch or None."""
    if run.status != Status.WAITING:
        return []
    return [
        {"waitId": p["waitId"], "callSeq": p["callSeq"], "match": p["match"], "label": p["label"], "until": p["wakeAt"]}
        for p in run.wait or []
        if p["kind"] == "wait"
    ]


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
