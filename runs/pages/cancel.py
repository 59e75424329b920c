"""Cancelling a run: the page says what else stops, the form does it."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from runs import audit, cancelling, finding
from runs.access import Verb
from runs.cancelling import REASON_MAX, Canceled
from runs.errors import Refused
from runs.lifecycle import Status
from runs.pages.lists import row_of
from runs.pages.lookup import run_for

_SHOWN = 50


@login_required
def run_cancel(request: HttpRequest, run_id: str) -> HttpResponse:
    """GET lists the runs that would stop; POST stops them, `reason` stands in their errors."""
    run = run_for(request, run_id, Verb.CANCEL)
    problem, reason = "", request.POST.get("reason", "").strip()
    if request.method == "POST":
        try:
            told = partial(audit.record, request.user, verb="cancel", reason=reason)
            canceled = cancelling.cancel(run.pk, reason, also=told)
        except Refused as refused:
            run.refresh_from_db(fields=["status"])  # the same form may have been sent twice at the same moment
            if run.status == Status.CANCELED:
                messages.info(request, "The run was canceled before.")
                return redirect("run-detail", run.pk)
            problem = str(refused)
        else:
            messages.success(request, _said(canceled))
            return redirect("run-detail", run.pk)
    stops = cancelling.affected(run.pk)
    rows = [row_of(each) for each in finding.rows(of=stops)[: _SHOWN + 1]]
    context = {
        "run": run,
        "here": "runs",
        "rows": rows[:_SHOWN],
        "more": stops.count() - _SHOWN if len(rows) > _SHOWN else 0,
        "problem": problem,
        "reason": reason,
        "reason_max": REASON_MAX,
    }
    return render(request, "runs/cancel.html", context, status=409 if problem else 200)


def _said(canceled: Canceled) -> str:
    done, told = len(canceled.done), len(canceled.told)
    said = [f"{_runs(done)} canceled."] if done else []
    said += (
        [f"{_runs(told)} told to stop: the worker that holds {'it' if told == 1 else 'each'} ends it."] if told else []
    )
    return " ".join(said)


def _runs(count: int) -> str:
    return f"{count} {'run' if count == 1 else 'runs'}"
