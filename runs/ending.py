"""Ending a run from outside of its host: the clock, the watchdog, a host that has failed. One way, so that each end
closes the plan, names the call that was out, and fits its columns."""

from typing import Any

from django.db.models import QuerySet

from journal import store
from journal.errors import JournalError
from journal.replay import fold
from runs.codes import Code
from runs.family import failed
from runs.host.failure import run_error
from runs.host.plans import closed
from runs.models import Run


def fail(runs: QuerySet[Run], run_id: str, code: Code, what: str, **changes: Any) -> bool:
    """Fail the run, if it is still among `runs`, with `what` happened and what to do; whether it moved."""
    fields = ("pk", "journal_id", "plan", "parent_id", "parent_call_seq", "concurrency_key", "source__text")
    run = Run.objects.select_related("source").only(*fields).get(pk=run_id)
    source = run.source.text if run.source else ""
    out = _call_out(run.journal_id)
    error = run_error(code, f"{what}. {code.help}", source, out.pop("line", 0), **out)
    return bool(failed(run, runs, error, plan=closed(run.plan, failed=True), **changes))


def _call_out(journal_id: str) -> dict[str, Any]:
    """line, tool and callSeq of the oldest call without a result; empty where there is none."""
    try:
        opened = fold(store.read(journal_id, superseded=False)).open
    except (JournalError, KeyError, ValueError):
        return {}
    calls = [(seq, call.body) for seq, call in sorted(opened.items()) if call.body["kind"] == "call"]
    if not calls:
        return {}
    seq, body = calls[0]
    return {"line": body.get("line", 0), "tool": body.get("tool"), "callSeq": seq}
