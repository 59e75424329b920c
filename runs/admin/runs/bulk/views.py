"""The pages of what is done to many runs: from the list's actions, over what it comes to, to the last batch."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from runs.admin.runs.bulk import exporting
from runs.admin.runs.bulk.applying import Batch, apply
from runs.admin.runs.bulk.forms import BulkForm
from runs.admin.runs.bulk.selection import Selection
from runs.admin.runs.bulk.touching import outlook
from runs.admin.runs.bulk.verbs import BULK, Bulk
from runs.admin.runs.list import IDS, OWN, UPTO
from runs.ids import first_id

EXPORT = "export"
_LIST = "admin:runs_run_changelist"


def begin(request: HttpRequest, verb: str) -> HttpResponse:
    """From an action of the list to the page that says what it comes to; the address has the selection, and the filters
    to come back to."""
    if request.POST.get("select_across") == "1":
        chosen = [(UPTO, first_id(timezone.now()))]
    else:
        chosen = [(IDS, ",".join(request.POST.getlist(ACTION_CHECKBOX_NAME)))]
    return redirect(f"{reverse('admin:runs_run_bulk', args=[verb])}?{urlencode(_filters(request) + chosen)}")


def page(request: HttpRequest, verb: str, selection: Selection, context: dict[str, Any]) -> HttpResponseBase:
    """GET says what it comes to; POST does a batch of it."""
    if verb != EXPORT and verb not in BULK:
        raise Http404("there is no such verb for many runs")
    assert isinstance(request.user, User)
    context |= {"list": _list(request)}
    if verb == EXPORT:
        return _export(request, request.user, selection, context)
    return _verb(request, request.user, BULK[verb], selection, context)


def _verb(
    request: HttpRequest, user: User, bulk: Bulk, selection: Selection, context: dict[str, Any]
) -> HttpResponseBase:
    context |= {"bulk": bulk, "title": bulk.title, "address": _address(bulk.name, request, selection)}
    form = bulk.form(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        context |= {"form": form, "outlook": outlook(bulk, selection, user)}
        return render(request, "admin/runs/run/bulk.html", context, status=422 if form.is_bound else 200)
    batch = apply(bulk, selection, user, form.cleaned_data)
    done = (form.cleaned_data["done"] or 0) + batch.done
    left = (form.cleaned_data["left"] or 0) + batch.left.total()
    if batch.before:
        going = {name: form.data.get(name, "") for name in form.fields}
        going |= {"before": batch.before, "done": done, "left": left}
        context |= {"form": bulk.form(initial=going), "batch": batch, "done": done, "left": left}
        return render(request, "admin/runs/run/bulk_batch.html", context)
    _tell(request, bulk, batch, done, left)
    return redirect(context["list"])


def _tell(request: HttpRequest, bulk: Bulk, batch: Batch, done: int, left: int) -> None:
    messages.success(request, f"{_runs(done)} {bulk.done}.")
    if left:
        why = "; ".join(f"{count} {reason}" for reason, count in batch.reasons)
        messages.warning(request, f"{_runs(left)} not touched{f': {why}' if why else ''}.")


def _export(request: HttpRequest, user: User, selection: Selection, context: dict[str, Any]) -> HttpResponseBase:
    form = BulkForm(request.POST if request.method == "POST" else None)
    before = request.GET.get("before", "")
    runs, older = exporting.part(selection, user, before)
    if form.is_bound and form.is_valid():
        given = form.cleaned_data
        return exporting.download(request, runs, user, given["reason"], given["once"])
    address = _address(EXPORT, request, selection)
    context |= {"title": "Export runs", "form": form, "runs": runs[:20], "count": len(runs), "most": exporting.MOST}
    context |= {"address": f"{address}&before={before}" if before else address}
    context |= {"older": f"{address}&before={older}" if older else ""}
    return render(request, "admin/runs/run/bulk_export.html", context, status=422 if form.is_bound else 200)


def _address(verb: str, request: HttpRequest, selection: Selection) -> str:
    """Of the page with this selection, which stays as it was first looked at."""
    chosen = (IDS, ",".join(selection.ids)) if selection.ids else (UPTO, selection.upto)
    return f"{reverse('admin:runs_run_bulk', args=[verb])}?{urlencode([*_filters(request), chosen])}"


def _list(request: HttpRequest) -> str:
    """The address of the list with the filters that it was left with."""
    filters = _filters(request)
    return f"{reverse(_LIST)}?{urlencode(filters)}" if filters else reverse(_LIST)


def _filters(request: HttpRequest) -> list[tuple[str, str]]:
    return [(name, value) for name, values in request.GET.lists() if name not in OWN for value in values]


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"
