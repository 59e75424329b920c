"""Our schedules in words: when each fires next, which runs it has started; adding, changing and removing one.

Rows are written by `runs.schedules` alone. What else django-q2 has scheduled is in its own list.
"""

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django_q.models import Schedule

from runs import audit, finding, schedules
from runs.access import Verb, may
from runs.admin import site
from runs.admin.scheduling import NewScheduleForm, RemoveForm, ScheduleForm, filled
from runs.cron_words import when_words
from runs.errors import Refused
from runs.finding import Asked
from runs.ids import is_id
from runs.models import Script
from runs.pages.lists import row_of
from runs.schedules import Planned, UnknownSchedule

PAGE = 50
SCRIPTS = 200  # that the field of the script offers


@site.view("schedules")
def schedules_page(request: HttpRequest) -> HttpResponse:
    """By name, a page at a time."""
    page = Paginator(schedules.all_schedules(), PAGE).get_page(request.GET.get("p"))
    others = Schedule.objects.exclude(func=schedules.TASK)[: PAGE + 1].count()
    context = {
        "shown": page,
        "rows": [told(planned) for planned in page],
        "others": others,
        "may_start": may(request.user, Verb.START),
        "sees_others": request.user.has_perm("django_q.view_schedule"),
    }
    return site.show(request, "schedules", context)


@site.view("schedules")
def schedule_add(request: HttpRequest) -> HttpResponse:
    """GET shows the form, POST adds the schedule or says what is wrong."""
    _require_start(request)
    form = NewScheduleForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and (planned := _kept(request, form, form.cleaned_data["name"], "added")):
        return redirect("operating-schedule", planned.name)
    return _page(request, "add", {"form": form, "title": "New schedule", "crumb": "New schedule"}, form)


@site.view("schedules")
def schedule_page(request: HttpRequest, name: str) -> HttpResponse:
    """What it is, its next firings and its runs; POST changes it."""
    planned = _found(name)
    if request.method == "POST":
        _require_start(request)
        form = ScheduleForm(request.POST)
        if form.is_valid() and _kept(request, form, name, "changed"):
            return redirect("operating-schedule", name)
    else:
        form = ScheduleForm(initial=filled(planned))
    before = request.GET.get("before", "")
    runs = finding.find(request.user, Asked(schedule=name), before=before if is_id(before) else "")
    context = {
        **told(planned),
        "title": name,
        "crumb": name,
        "form": form,
        "runs": [row_of(run) for run in runs.rows],
        "older": runs.older,
        "deeds": _deeds(name),
        "first": not before,
        "may_start": may(request.user, Verb.START),
    }
    return _page(request, "one", context, form)


@site.view("schedules")
def schedule_remove(request: HttpRequest, name: str) -> HttpResponse:
    """GET asks, POST removes it; its runs go on."""
    _require_start(request)
    planned = _found(name)
    form = RemoveForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(
            request, "remove", {**told(planned), "title": f"Remove {name}?", "crumb": name, "form": form}, form
        )
    record = partial(audit.record_schedule, request.user, reason=form.cleaned_data["reason"])
    try:
        schedules.unschedule(name, also=record)
    except UnknownSchedule:
        raise Http404(f"There is no schedule {name} any more.") from None
    messages.success(request, f"Removed the schedule {name}. Runs that it has started go on.")
    return redirect("operating-schedules")


def told(planned: Planned) -> dict[str, Any]:
    """What a page says of a schedule."""
    first, *later = planned.firings
    when = when_words(planned.cron, planned.minutes)
    return {"planned": planned, "when": when, "next": first, "later": later, "due": first < timezone.now()}


def _kept(request: HttpRequest, form: ScheduleForm, name: str, what: str) -> Planned | None:
    """None where it was refused all the same; the form then says why."""
    try:
        planned = form.save(request.user, name)
    except Refused as refused:
        form.add_error(None, str(refused))
        return None
    when = when_words(planned.cron, planned.minutes)
    messages.success(request, f"{what.capitalize()} the schedule {name}: {planned.script} {when}.")
    return planned


def _found(name: str) -> Planned:
    try:
        return schedules.find(name)
    except UnknownSchedule:
        raise Http404(f"There is no schedule {name}.") from None


def _deeds(name: str) -> list[audit.Deed]:
    """What people did to it, the newest first."""
    row = Schedule.objects.filter(func=schedules.TASK, name=name).first()
    return [] if row is None else audit.deeds_of_other(row)


def _require_start(request: HttpRequest) -> None:
    if not may(request.user, Verb.START):
        site.refuse(request.user, "runs.start_run")


def _page(request: HttpRequest, part: str, context: dict[str, Any], form: Any) -> HttpResponse:
    scripts = Script.objects.order_by("name").values_list("name", flat=True)[:SCRIPTS]
    status = 422 if form.is_bound else 200
    return site.show(request, "schedules", {"scripts": scripts, **context}, status=status, part=part)
