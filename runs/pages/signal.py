"""Telling a run something: an answer to one open wait, or a signal by its name."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from runs import audit, signals
from runs.access import Verb
from runs.errors import Refused
from runs.models import Run
from runs.pages.forms import SignalForm
from runs.pages.lookup import run_for

_LEVELS = {"delivered": messages.SUCCESS, "kept": messages.SUCCESS, "repeated": messages.INFO}
_SAID = {
    "delivered": "Sent: {reason}.",
    "kept": "Sent, and kept: {reason}.",
    "repeated": "This was sent before; it was not sent a second time.",
    "refused": "Not sent: {reason}.",
}


@login_required
def run_signal(request: HttpRequest, run_id: str) -> HttpResponse:
    """GET shows a form for each open wait, and one for any signal; POST sends, and leads back to the run."""
    run = run_for(request, run_id, Verb.SIGNAL)
    if request.method != "POST":
        return _page(request, run, SignalForm(initial={"name": request.GET.get("name", "")}))
    form = SignalForm(request.POST)
    if not form.is_valid():
        return _page(request, run, form, 422)
    given = form.cleaned_data
    try:
        sent = signals.send(
            run.pk,
            given["name"],
            given["payload"],
            id=form.key(request.user.pk, run.pk),
            wait_id=given["wait_id"] or None,
            sender=request.user if isinstance(request.user, User) else None,
            also=partial(audit.record_signal, request.user, name=given["name"], reason=given["reason"]),
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, run, form, 422)
    level = _LEVELS.get(sent.outcome, messages.ERROR)
    messages.add_message(request, level, _SAID[sent.outcome].format(reason=sent.reason))
    return redirect("run-detail", sent.run_id)


def _page(request: HttpRequest, run: Run, form: SignalForm, status: int = 200) -> HttpResponse:
    waits = [] if run.is_terminal else signals.open_waits(run)
    context: dict[str, Any] = {"run": run, "form": form, "here": "runs", "waits": waits}
    if wait_id := form["wait_id"].value():
        context["wait"] = next((wait for wait in waits if wait.wait_id == wait_id), None)
    return render(request, "runs/signal.html", context, status=status)
