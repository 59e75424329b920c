"""One call of a run, opened: what was asked and from which line, what came of it, and what can be done from there."""

from typing import Any

from django.http import Http404, HttpRequest

from runs import copies
from runs.access import Verb, may
from runs.lifecycle import Status
from runs.models import Run
from runs.pages import tabs
from runs.pages.lookup import run_for
from runs.pages.overview import rights
from runs.reading import calls
from runs.reading.issuing import issued
from runs.times import from_ms
from runs.tools import ToolContext


def facts(request: HttpRequest, run_id: str, call_seq: int) -> dict[str, Any]:
    """What `admin/runs/run/call.html` shows. Raises `Http404` for a call that the run does not have."""
    run = run_for(request, run_id)
    call = calls.one(run.journal_id, call_seq) if 0 < call_seq < 2**31 else None
    if call is None:
        raise Http404(f"the run has no call {call_seq}")
    child = Run.objects.defer("input", "output").filter(pk=call.child_id).first() if call.child_id else None
    return {
        "run": run,
        "call": call,
        "may": rights(run, request.user),
        "token": ToolContext(run.pk, call_seq).token if call.op == "tool" else "",
        "issued": issued(run, call),
        "child": child if child is not None and may(request.user, Verb.VIEW, child) else None,
        "due": None if call.due is None else from_ms(call.due),
        "ended": None if call.ended is None else from_ms(call.ended),
        "took": None if call.took_ms is None else call.took_ms / 1000,
        "retryable": _can_be_retried(run, call),
        "rewindable": _can_be_rewound(run, call),
        "forkable": run.source is not None and copies.replays(run) and not call.superseded,
        **tabs.call_parts(call, run.is_terminal),
    }


def _can_be_retried(run: Run, call: calls.CtxCall) -> bool:
    failed = run.status == Status.FAILED or (run.status == Status.WAITING and bool(run.error_code))
    return failed and call.status == "failed" and not call.superseded


def _can_be_rewound(run: Run, call: calls.CtxCall) -> bool:
    at_rest = run.status not in (Status.QUEUED, Status.RUNNING) and not run.successor
    return at_rest and not run.is_copy and run.source is not None and not call.superseded
