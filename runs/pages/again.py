"""Retry, rewind, fork, fix and continue: a dry replay says what it comes to, and only then it is done.

The three pages differ in what they ask for: `retry` nothing but perhaps a call, `fork` a call and perhaps its result,
`fix` an edited source.
"""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from runs import audit, operations
from runs.access import Verb, may, require, told_refused
from runs.errors import Refused
from runs.models import Run
from runs.operations import Done
from runs.operations.children import CANCEL
from runs.operations.telling import TITLES, call_words, fate, stands
from runs.pages.againform import FORK, RETRY, AgainForm
from runs.pages.diffs import diff
from runs.pages.lookup import run_for

_SHOWN = 100  # calls of each list
_DONE = {
    "retry": "Attempt {attempt} has begun: the failing call is executed again.",
    "rewind": "Attempt {attempt} has begun: call {call} and all after it are executed again.",
    "fork": "This run is the fork: it goes on from call {call}.",
}


@login_required
def run_retry(request: HttpRequest, run_id: str) -> HttpResponse:
    """The failing call of a failed run again, or everything from one call on."""
    return _again(request, run_for(request, run_id, Verb.RETRY), "retry")


@login_required
def run_fork(request: HttpRequest, run_id: str) -> HttpResponse:
    """A new run that goes on from one call of this one."""
    return _again(request, run_for(request, run_id, Verb.FORK), "fork")


@login_required
def run_fix(request: HttpRequest, run_id: str) -> HttpResponse:
    """Any of these with an edited source."""
    run = run_for(request, run_id, Verb.RETRY)
    require(request.user, Verb.START)
    return redirect("run-retry", run.pk) if run.source is None else _again(request, run, "fix")


def _again(request: HttpRequest, run: Run, page: str) -> HttpResponse:
    if request.method != "POST":
        form = AgainForm.opened(page, run, request.GET)
        # What needs no more words is replayed at once: the page then only has to be confirmed.
        return _page(request, run, form, _tried(form, run) if form.is_bound and form.is_valid() else None)
    form = AgainForm(page, run, request.POST)
    if not form.is_valid():
        return _page(request, run, form, None)
    require(request.user, Verb.FORK if form.cleaned_data["how"] == FORK else Verb.RETRY, run)
    if form.edited is not None:
        require(request.user, Verb.START)
    if form.cleaned_data["children"] == CANCEL and not may(request.user, Verb.CANCEL, run):
        told_refused(request.user, Verb.CANCEL, run.pk)
        form.add_error(None, "You may not cancel its children: it takes the permission runs.cancel_run.")
        return _page(request, run, form, None)
    if request.POST.get("step") == "do":
        if form.begun():
            return _begun(request, run)
        if form.confirmed:
            if (done := _tried(form, run, request)) is not None:
                messages.success(request, _DONE[done.verb].format(attempt=done.attempt, call=form.cleaned_data["call"]))
                return redirect("run-detail", done.run_id)
            run.refresh_from_db(fields=["attempt"])
            if form.begun():  # by the same form, sent twice at the same moment
                return _begun(request, run)
    return _page(request, run, form, None if form.non_field_errors() else _tried(form, run))


def _begun(request: HttpRequest, run: Run) -> HttpResponse:
    messages.info(request, f"Attempt {run.attempt} has begun; nothing was done a second time.")
    return redirect("run-detail", run.pk)


def _tried(form: AgainForm, run: Run, request: HttpRequest | None = None) -> Done | None:
    """What was done, in the name of the request's user, or would be; None with the reason in the form."""
    given = form.cleaned_data
    how: dict[str, Any] = {"source": form.edited, "children": given["children"] or None, "dry_run": request is None}
    if request is not None:
        facts = {"reason": given["reason"], "call": given["call"], "edited": form.edited is not None}
        how["also"] = partial(audit.record_again, request.user, run, **facts)
    try:
        if given["how"] == RETRY:
            return operations.retry(run.pk, call=given["call"] if form.page == "retry" else None, **how)
        if given["how"] == FORK:
            owner = request.user if request and request.user.is_authenticated else None
            more = {} if given.get("result") is None else {"result": given["result"].value}
            return operations.fork(run.pk, given["call"], owner=owner, key=form.key(), **more, **how)
        return operations.rewind(run.pk, given["call"], **how)
    except Refused as refused:
        form.add_error(None, str(refused))
        return None


def _page(request: HttpRequest, run: Run, form: AgainForm, dry: Done | None) -> HttpResponse:
    context: dict[str, Any] = {"run": run, "form": form, "page": form.page, "dry": dry, "here": "runs"}
    context["line"] = (run.error or {}).get("line")
    if not may(request.user, Verb.CANCEL, run):
        form.offer_no_cancel()
    if dry is not None:
        context["shown"] = form.shown()
        context["live"] = Run.objects.filter(pk__in=dry.live_children).only("pk", "title", "status")
        context["verb"] = form.verb()
        if dry.replay is not None:
            context["lists"] = [_list(name, dry) for name in TITLES]
            context["stands"] = stands(dry.replay)
        if form.edited is not None and run.source is not None:
            context["diff"] = diff(run.source.text, form.edited)
    wrong = form.is_bound and not form.is_valid()
    return render(request, "runs/again.html", context, status=422 if wrong and request.method == "POST" else 200)


def _list(name: str, dry: Done) -> dict[str, Any]:
    assert dry.replay is not None
    replay = dry.replay
    calls = getattr(replay, name)
    told = [(call.call_seq, call.line, call_words(call), fate(call, name, replay)) for call in calls[:_SHOWN]]
    return {"name": name, "title": TITLES[name], "count": len(calls), "calls": told, "more": len(calls) - len(told)}
