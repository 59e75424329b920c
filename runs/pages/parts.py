"""Parts of a run's page, each by itself: what the browser fetches again after a change, and what it opens."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.pages import tabs
from runs.pages.activity import activity
from runs.pages.lookup import run_for
from runs.pages.overview import PAYLOADS, aside, overview, rights
from runs.reading import calls as reading


@login_required
@require_safe
def run_part(request: HttpRequest, run_id: str, name: str) -> HttpResponse:
    """`overview`, `aside`, or the content of a tab."""
    run = run_for(request, run_id, without=PAYLOADS)
    if name == "overview":
        context = overview(run, request.user)
    elif name == "aside":
        context = aside(run, request.user)
    elif name in tabs.TABS:
        context = {"run": run, "may": rights(run, request.user), **tabs.TABS[name][1](run, request.GET)}
    else:
        raise Http404(f"there is no part {name!r}")
    return render(request, f"runs/parts/{name}.html", context)


@login_required
@require_safe
def run_entries(request: HttpRequest, run_id: str) -> HttpResponse:
    """Rows of the journal before `before`, and how to go on."""
    run = run_for(request, run_id, without=PAYLOADS)
    return render(request, "runs/parts/rows.html", {"run": run, **activity(run, request.GET)})


@login_required
@require_safe
def run_call(request: HttpRequest, run_id: str, call_seq: int) -> HttpResponse:
    """One call, opened."""
    run = run_for(request, run_id, without=PAYLOADS)
    call = reading.one(run.journal_id, call_seq) if 0 < call_seq < 2**31 else None
    if call is None:
        raise Http404(f"the run has no call {call_seq}")
    context = {"run": run, "may": rights(run, request.user), **tabs.call_parts(call, run.is_terminal)}
    return render(request, "runs/parts/call.html", context)
