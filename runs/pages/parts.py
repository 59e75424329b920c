"""Parts of a run's page, each by itself: what the browser fetches again after a change, and what it opens."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from runs.pages import tabs
from runs.pages.detail import run_for
from runs.pages.overview import aside, overview
from runs.reading import calls as reading


@login_required
@require_safe
def run_part(request: HttpRequest, run_id: str, name: str) -> HttpResponse:
    """`overview`, `aside`, or the content of a tab."""
    run = run_for(request, run_id)
    if name == "overview":
        context = overview(run, request.user)
    elif name == "aside":
        context = aside(run)
    elif name in tabs.TABS:
        context = {"run": run, **tabs.TABS[name][1](run, request.GET)}
    else:
        raise Http404(f"there is no part {name!r}")
    return render(request, f"runs/parts/{name}.html", context)


@login_required
@require_safe
def run_entries(request: HttpRequest, run_id: str) -> HttpResponse:
    """Rows of the journal before `before`, and how to go on."""
    run = run_for(request, run_id)
    return render(request, "runs/parts/rows.html", {"run": run, **tabs.activity(run, request.GET)})


@login_required
@require_safe
def run_call(request: HttpRequest, run_id: str, call_seq: int) -> HttpResponse:
    """One call, opened."""
    run = run_for(request, run_id)
    call = reading.one(run.journal_id, call_seq) if 0 < call_seq < 2**31 else None
    if call is None:
        raise Http404(f"the run has no call {call_seq}")
    return render(request, "runs/parts/call.html", {"run": run, **tabs.call_parts(call)})
