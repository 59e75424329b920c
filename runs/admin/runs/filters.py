"""The filters beside the list of runs: each gives one field of `runs.finding.Asked`, and none touches a queryset."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q.models import Schedule

from runs import finding
from runs.health.facts import WORDS
from runs.lifecycle import Status
from runs.models import Run, Script
from runs.pages.filters import RANGES, WAITING
from runs.tools import all_tools

_NAMED = 50  # scripts or schedules that are offered by name; any other can be written into the address
_LONGEST = 200
Choice = tuple[str, str]


class AskedFilter(SimpleListFilter):
    """`asks` gives what it adds to the `Asked` of somebody who asks at that moment. A closed
    filter takes what it offers and nothing else."""

    template = "admin/runs/run/filter.html"
    closed: ClassVar[bool] = True
    folded: ClassVar[bool] = False  # until it is in use

    @property
    def is_open(self) -> bool:
        return bool(self.value()) or not self.folded

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: type[Run], of: "ModelAdmin[Run]") -> None:
        super().__init__(request, params, model, of)
        value = self.value()
        offered = {str(name) for name, _ in self.lookup_choices}
        if value and value not in offered:
            if self.closed or len(value) > _LONGEST or "\0" in value:
                raise IncorrectLookupParameters
            self.lookup_choices = [(value, value), *self.lookup_choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        return super().choices(changelist)

    def asks(self, at: datetime) -> dict[str, Any]:
        assert self.parameter_name
        return {self.parameter_name: self.value()} if self.value() else {}


class StatusFilter(AskedFilter):
    title, parameter_name = "status", "status"

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(status.value, status.label.partition(":")[0]) for status in Status]


class KindFilter(AskedFilter):
    title, parameter_name, folded = "kind", "kind", True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(kind.value, kind.value.capitalize()) for kind in Run.Kind]


class ScriptFilter(AskedFilter):
    title, parameter_name, closed, folded = "script", "script", False, True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(name, name) for name in Script.objects.order_by("name").values_list("name", flat=True)[:_NAMED]]


class WaitingFilter(AskedFilter):
    title, parameter_name = "what it waits on", "waiting"

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return list(WAITING.items())


class CodeFilter(AskedFilter):
    title, parameter_name, closed, folded = "error code", "code", False, True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(code, code) for code in finding.codes(request.user)]


class ToolFilter(AskedFilter):
    title, parameter_name, closed, folded = "tool that failed", "tool", False, True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return sorted((each.name, each.name) for each in all_tools())


class QueueFilter(AskedFilter):
    title, parameter_name, folded = "queue", "queue", True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(queue.value, queue.value.capitalize()) for queue in Run.Queue]


class ScheduleFilter(AskedFilter):
    title, parameter_name, closed, folded = "schedule", "schedule", False, True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        names = Schedule.objects.exclude(name=None).order_by("name").values_list("name", flat=True)
        return [(name, name) for name in names[:_NAMED] if name]


class SignFilter(AskedFilter):
    title, parameter_name, folded = "replay health", "sign", True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(sign.slug, title) for sign, (title, _) in WORDS.items()]


class DateFilter(AskedFilter):
    title, parameter_name = "date of creation", "created"

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [(name, words.capitalize()) for name, (words, _) in RANGES.items()]

    def asks(self, at: datetime) -> dict[str, Any]:
        value = self.value()
        return {"since": at - RANGES[value][1]} if value else {}


class LevelFilter(AskedFilter):
    title, parameter_name, folded = "place in its tree", "roots", True

    def lookups(self, request: HttpRequest, of: "ModelAdmin[Run]") -> Iterable[Choice]:
        return [("1", "Without a parent")]

    def asks(self, at: datetime) -> dict[str, Any]:
        return {"roots": bool(self.value())}


FILTERS = (
    StatusFilter, DateFilter, WaitingFilter, CodeFilter, ToolFilter, ScriptFilter, KindFilter, QueueFilter,
    ScheduleFilter, SignFilter, LevelFilter,
)  # fmt: skip
