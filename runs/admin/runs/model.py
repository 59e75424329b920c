"""`RunAdmin`: what the admin says and does of runs. Nothing in it writes a row; every right is one of `runs.access`."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.decorators import method_decorator
from django.views.decorators.http import require_safe

from runs.access import Verb, may, visible_runs
from runs.admin.runs import call, view
from runs.admin.runs.bulk import views
from runs.admin.runs.bulk.selection import selection_of
from runs.admin.runs.columns import SHOWN, Columns
from runs.admin.runs.filters import FILTERS
from runs.admin.runs.list import RunList
from runs.models import Run
from runs.pages.lookup import run_for
from runs.pages.overview import PAYLOADS

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Run]
else:  # generic for who checks types alone
    Base = admin.ModelAdmin


@admin.register(Run)
class RunAdmin(Columns, Base):
    """Staff see their own runs, and all with the permission `runs.view_run`."""

    list_display = SHOWN
    list_display_links = ("run",)
    list_filter = FILTERS
    list_per_page = 50
    search_fields = ("title", "id", "idempotency_key")
    search_help_text = "Part of a title or idempotency key, or the beginning of an id."
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # a count for each value of each filter
    actions = ("cancel", "retry", "signal", "export", "delete_ended")
    ordering = ("-pk",)
    sortable_by = ()

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return RunList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        return visible_runs(request.user).defer(*(name for name in PAYLOADS if "__" not in name))

    def get_urls(self) -> list[URLPattern]:
        staff = self.admin_site.admin_view
        own = [
            path("<str:run_id>/call/<int:call_seq>/", staff(self.call_view), name="runs_run_call"),
            path("bulk/<str:verb>/", staff(self.bulk_view), name="runs_run_bulk"),
        ]
        return [*own, *super().get_urls()]

    @method_decorator(require_safe)
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The run, to be read."""
        return self._page(request, "view", view.facts(request, object_id))

    @method_decorator(require_safe)
    def call_view(self, request: HttpRequest, run_id: str, call_seq: int) -> HttpResponse:
        """One of its calls."""
        return self._page(request, "call", call.facts(request, run_id, call_seq))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """What operators did to it, for who sees it."""
        run_for(request, object_id)
        return super().history_view(request, object_id, extra_context)

    def bulk_view(self, request: HttpRequest, verb: str) -> HttpResponseBase:
        """What a verb comes to for a selection, and one batch of it."""
        try:
            found = self.get_changelist_instance(request)
            assert isinstance(found, RunList)
            selection = selection_of(found)
        except IncorrectLookupParameters:
            raise Http404 from None
        return views.page(request, verb, selection, self.admin_site.each_context(request) | {"opts": self.opts})

    @admin.action(description="Cancel")
    def cancel(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse:
        return views.begin(request, "cancel")

    @admin.action(description="Retry")
    def retry(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse:
        return views.begin(request, "retry")

    @admin.action(description="Signal")
    def signal(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse:
        return views.begin(request, "signal")

    @admin.action(description="Export")
    def export(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse:
        return views.begin(request, "export")

    @admin.action(description="Delete ended")
    def delete_ended(self, request: HttpRequest, queryset: QuerySet[Run]) -> HttpResponse:
        return views.begin(request, "delete")

    def _page(self, request: HttpRequest, name: str, facts: dict[str, Any]) -> HttpResponse:
        title = facts["run"].title or facts["run"].pk
        context = self.admin_site.each_context(request) | {"title": title, "opts": self.opts, "media": self.media}
        return render(request, f"admin/runs/run/{name}.html", context | facts)

    # Rows are made and moved by runs.starting, runs.operations, runs.signals and runs.cancelling, never by hand.

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_view_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return self.has_module_permission(request) and (obj is None or may(request.user, Verb.VIEW, obj))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Run | None = None) -> bool:
        return False
