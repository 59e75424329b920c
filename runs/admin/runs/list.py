"""The list of runs in the admin: Django's `ChangeList`, with its rows and counts from `runs.finding`.

A page comes before an id and not behind so many others, so the last one costs what the first does; nothing is counted
to the end, and no column that may be large is read.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR, ChangeList, ChangeListSearchForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property

from runs import finding
from runs.admin.runs.columns import READ
from runs.admin.runs.filters import AskedFilter
from runs.finding import Asked, Page
from runs.ids import is_id, time_of
from runs.lifecycle import Status
from runs.models import Run
from runs.words import MARKS

BEFORE = "before"
# Of a selection, for what is done to many: the runs themselves, or that there are no newer ones. That id has a time, by
# which "the last hour" stays the same hour however long it takes.
IDS, UPTO = "ids", "upto"
OWN = (BEFORE, IDS, UPTO)


class SearchForm(ChangeListSearchForm):
    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.fields = {SEARCH_VAR: forms.CharField(label="Search", required=False, max_length=200)}


class RunList(ChangeList):
    """`asked` is what is looked for, `page` what was found of it; `?before=` is an id."""

    search_form_class = SearchForm
    asked: Asked
    page: Page

    def __init__(self, request: HttpRequest, *given: Any, **options: Any) -> None:
        self.user = request.user
        self.own = {name: request.GET.get(name, "") for name in OWN}
        self.before = self.own[BEFORE]
        if self.before and not is_id(self.before):
            raise IncorrectLookupParameters
        super().__init__(request, *given, **options)
        self.title = "Runs"

    def get_queryset(self, request: HttpRequest, exclude_parameters: list[str | None] | None = None) -> QuerySet[Run]:
        for name in OWN:  # are no filters, and no link of one keeps them
            self.params.pop(name, None)
            self.filter_params.pop(name, None)
        specs, self.has_filters, unknown, _, self.has_active_filters = self.get_filters(request)
        if unknown:
            raise IncorrectLookupParameters
        self.filter_specs = specs
        self.clear_all_filters_qs = self.get_query_string(remove=list(self.get_filters_params()))
        at = self._asked_at()
        asks = [spec.asks(at) for spec in specs if isinstance(spec, AskedFilter)]
        self.asked = Asked(text=self.query.strip(), **{name: value for each in asks for name, value in each.items()})
        return self.root_queryset

    def _asked_at(self) -> datetime:
        if not is_id(self.own[UPTO]):
            return timezone.now()
        try:
            return time_of(self.own[UPTO])
        except (ValueError, OverflowError):  # behind the last year that there is
            raise IncorrectLookupParameters from None

    def get_results(self, request: HttpRequest) -> None:
        size = self.list_per_page
        self.page = finding.find(self.user, self.asked, before=self.before, size=size, columns=READ)
        self.result_list = self.page.rows
        self.result_count = len(self.page.rows)
        self.full_result_count = self.result_count  # how many there are is said by the chips
        self.show_full_result_count = self.can_show_all = self.multi_page = False
        self.show_admin_actions = bool(self.page.rows)
        self.paginator = None

    @property
    def older(self) -> str:
        """The address of the next page, "" of the last."""
        return self.get_query_string({BEFORE: self.page.older}) if self.page.older else ""

    @property
    def newest(self) -> str:
        return self.get_query_string()

    @cached_property
    def chips(self) -> list[dict[str, Any]]:
        """The counts as filters: one for each status, and one for all."""
        counts = finding.counts(self.user, self.asked)
        made: list[dict[str, Any]] = [{"status": "", "name": "All", "href": self.get_query_string(remove=["status"])}]
        for status in Status:
            named = {"status": status.value, "name": status.label.partition(":")[0], "mark": MARKS[status]}
            made.append(named | {"count": str(counts[status]), "href": self.get_query_string({"status": status.value})})
        for chip in made:
            chip["chosen"] = chip["status"] == self.asked.status
        return made
