"""The list of runs."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from runs.access import visible_runs
from runs.models import Run
from runs.words import MARKS, status_words

NEWEST = 100
# Payloads can be megabytes each, and a list shows none of them.
PAYLOADS = ("input", "output", "error", "plan", "progress", "budget")


@login_required
def run_list(request: HttpRequest) -> HttpResponse:
    """The newest runs, one line each."""
    runs = visible_runs(request.user).defer(*PAYLOADS).order_by("-pk")[:NEWEST]
    return render(request, "runs/list.html", {"rows": [summary(run) for run in runs], "newest": NEWEST})


def summary(run: Run) -> dict[str, Any]:
    """The row, its short id, its status as a mark and in words."""
    return {"run": run, "short_id": run.pk[:14], "mark": MARKS.get(run.status, "?"), "words": status_words(run)}
