"""The page of one run."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.access import visible_runs
from runs.models import Run
from runs.pages import tabs
from runs.pages.overview import PAYLOADS, aside, overview

_RELATED = ("owner", "journal", "source", "script_version__script")


def run_for(request: HttpRequest, run_id: str) -> Run:
    """The run without its payloads, or 404 where there is none that this user may see."""
    runs = visible_runs(request.user).select_related(*_RELATED).defer(*PAYLOADS)
    return get_object_or_404(runs, pk=run_id)


@login_required
@require_safe
def run_detail(request: HttpRequest, run_id: str) -> HttpResponse:
    """Where the run stands, what it waits for, its plan and family; and one tab, `?tab=`."""
    name = tabs.tab_of(request.GET)
    looked = timezone.now()
    run = run_for(request, run_id)
    context = {
        "at": int(looked.timestamp() * 1000),
        "here": "runs",
        "tab": name,
        "tabs": [(each, title) for each, (title, _) in tabs.TABS.items()],
        "tab_template": f"runs/parts/{name}.html",
        **overview(run, request.user),
        **aside(run),
        **tabs.TABS[name][1](run, request.GET),
    }
    return render(request, "runs/detail.html", context)
