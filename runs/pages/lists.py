"""The list of runs: its page, and the rows again for a page that keeps itself fresh."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from runs import finding
from runs.access import Verb, may
from runs.codes import Code
from runs.finding import PAGE, Count
from runs.ids import is_id
from runs.lifecycle import Status
from runs.models import Run
from runs.pages.filters import Filters
from runs.words import MARKS, status_phrase

SHORT_ID = 14  # characters of an id: the time, and enough of the rest that showrun knows which run is meant


@login_required
def run_list(request: HttpRequest) -> HttpResponse:
    """The runs that match the filters of the address, newest first; with `?ids=` those rows alone, as a fragment."""
    filters = Filters(request.GET)
    if "ids" in request.GET:
        return _again(request, filters)
    context: dict[str, Any] = {"filters": filters, "here": "runs", "codes": list(Code), "sees_all": _sees_all(request)}
    if not filters.is_valid():
        return render(request, "runs/list.html", context, status=400)
    wanted = filters.wanted(request.user.pk)
    page = finding.find(request.user, wanted, before=filters.cleaned_data["before"], size=PAGE)
    context |= {
        "page": page,
        "rows": [row_of(run) for run in page.rows],
        "first": not filters.cleaned_data["before"],
        "older": filters.address(before=page.older) if page.older else "",
        "words": filters.words(),
        "chips": chips(finding.counts(request.user, wanted), filters),
        "now": timezone.now(),
    }
    return render(request, "runs/list.html", context)


def _again(request: HttpRequest, filters: Filters) -> HttpResponse:
    """The rows of `?ids=`, wherever they stand now, the counts but for a search, and how many have come since
    `?newest=`."""
    if not filters.is_valid():
        return HttpResponse("the filters are not in order", status=400, content_type="text/plain")
    wanted = filters.wanted(request.user.pk)
    ids = request.GET["ids"].split(",")
    context = {
        "rows": [row_of(run) for run in finding.again(request.user, ids)],
        "sees_all": _sees_all(request),
        "now": timezone.now(),
    }
    # A search is not counted again and again: that would cost as much as the search.
    if not filters.searches():
        context["chips"] = chips(finding.counts(request.user, wanted), filters)
    newest = request.GET.get("newest")
    if newest is not None and (is_id(newest) or not newest):  # "" of a page that shows none
        context["newer"] = finding.newer(request.user, wanted, newest)
    return render(request, "runs/list_fragment.html", context)


def row_of(run: Run) -> dict[str, Any]:
    """What a row says of a run."""
    return {
        "run": run,
        "short_id": run.pk[:SHORT_ID],
        "mark": MARKS.get(run.status, "?"),
        "phrase": status_phrase(run),
    }


def chips(counts: dict[str, Count], filters: Filters) -> list[dict[str, Any]]:
    """The counts as filters: one chip for each status, and one for all."""
    chosen = filters.cleaned_data["status"]
    made: list[dict[str, Any]] = [{"status": "", "name": "All", "href": filters.address(status="")}]
    for status in Status:
        name = status.label.partition(":")[0]
        made.append({"status": status.value, "name": name, "mark": MARKS[status], "count": str(counts[status])})
        made[-1]["href"] = filters.address(status=status.value)
    for chip in made:
        chip["chosen"] = chip["status"] == chosen
    return made


def _sees_all(request: HttpRequest) -> bool:
    return may(request.user, Verb.VIEW)
