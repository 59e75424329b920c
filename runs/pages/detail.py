"""The page of one run."""

from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from runs.models import Run
from runs.pages import tabs
from runs.pages.lookup import run_for
from runs.pages.overview import PAYLOADS, aside, overview


@login_required
@require_safe
def run_detail(request: HttpRequest, run_id: str) -> HttpResponse:
    """Where the run stands, what it waits for, its plan and family; and one tab, `?tab=`."""
    name = tabs.tab_of(request.GET)
    looked = timezone.now()
    run = run_for(request, run_id, without=PAYLOADS)
    return render(request, "runs/detail.html", {"here": "runs", **whole(request, run, name, looked)})


def whole(request: HttpRequest, run: Run, tab: str, looked: datetime) -> dict[str, Any]:
    """What `runs/parts/run.html` shows, of a row that was read no earlier than `looked`."""
    return {
        "at": int(looked.timestamp() * 1000),
        "tab": tab,
        "tabs": [(each, title) for each, (title, _) in tabs.TABS.items()],
        "tab_template": f"runs/parts/{tab}.html",
        **overview(run, request.user),
        **aside(run, request.user),
        **tabs.TABS[tab][1](run, request.GET),
    }
