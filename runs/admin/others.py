"""django-q2's own list of schedules, without ours: a row of ours that somebody edits by hand may stop all of them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django_q.admin import ScheduleAdmin
from django_q.models import Schedule

from runs.admin.site import named
from runs.schedules import TASK


class OtherForm(forms.ModelForm):  # type: ignore[type-arg]
    """What q2 offers, but for the task by which our schedules start their scripts."""

    def clean_func(self) -> str:
        func: str = self.cleaned_data["func"]
        if func.strip() == TASK:
            raise forms.ValidationError("That is how scripts are scheduled: add such a schedule under Schedules.")
        return func


class OtherSchedules(ScheduleAdmin):  # type: ignore[misc]
    """Those of other apps."""

    form = OtherForm

    def get_queryset(self, request: HttpRequest) -> QuerySet[Schedule]:
        others: QuerySet[Schedule] = super().get_queryset(request).exclude(func=TASK)
        return others

    def change_view(self, request: HttpRequest, object_id: str, *rest: Any, **more: Any) -> HttpResponse:
        """One of ours has a page of its own; the history of what operators did links here."""
        if (
            named("schedules").open_to(request.user)
            and object_id.isascii()
            and object_id.isdigit()
            and len(object_id) < 18
        ):
            ours = Schedule.objects.filter(pk=int(object_id), func=TASK).values_list("name", flat=True).first()
            if ours:
                return redirect("operating-schedule", ours)
        answer: HttpResponse = super().change_view(request, object_id, *rest, **more)
        return answer


admin.site.unregister(Schedule)
admin.site.register(Schedule, OtherSchedules)
