"""The script library: every version as it was saved, the difference of two, what lint says, and saving another one.

Rows are written by `runs.library.save` alone: a version never changes, since runs and schedules name it.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import IntegerField, OuterRef, QuerySet, Subquery
from django.forms.models import model_to_dict
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from runs import audit, library
from runs.access import Verb, may
from runs.admin import site
from runs.audit import REASON_MAX, record_other
from runs.conf import conf
from runs.errors import Refused
from runs.lint import lint
from runs.models import Script, ScriptVersion
from runs.pages.diffs import diff
from runs.pages.forms import SourceForm, unix_lines
from runs.pruning.retention import keep_schedule
from runs.reading import source

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Script]
else:
    Base = admin.ModelAdmin

VERSIONS = 100  # of one script, the newest ones
DAYS_MOST = 32_767  # what the column holds, 89 years
KEEPING = ("runs.change_script", "runs.delete_run")  # what it takes to say how long runs are kept


class VersionForm(SourceForm):
    """Another version of a script that there is."""

    description = forms.CharField(required=False, help_text="What the script is for, in a line.")


class ScriptForm(VersionForm):
    """The first version of a new script."""

    field_order = ("name", "description", "source")
    name = forms.CharField(max_length=80, help_text=f"How runs and schedules call it: {library.NAMING}.")

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not library.is_name(name):
            raise forms.ValidationError(f"“{name}” is no name of a script: {library.NAMING}.")
        if Script.objects.filter(name=name).exists():
            raise forms.ValidationError(f"There is a script “{name}” already: save a version on its page.")
        return name


class RetentionForm(forms.Form):
    """How long runs of the script are kept."""

    keep_days = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=DAYS_MOST,
        label="Days to keep ended runs",
        help_text="After that they are deleted, by whole trees, with their journals. 0 keeps them for ever; without a"
        " number it is as the setting DAYBOOK_RETENTION_DAYS says.",
    )
    keep_failed = forms.BooleanField(required=False, label="Keep those that failed all the same")
    reason = forms.CharField(
        required=False, max_length=REASON_MAX, help_text="It stands in the script's history, beside your name."
    )

    @property
    def words(self) -> str:
        days, failed = self.cleaned_data["keep_days"], self.cleaned_data["keep_failed"]
        if not days:
            return "ended runs are kept for ever" if days == 0 else "ended runs are kept as the setting says"
        return f"ended runs are deleted after {days} days{'; those that failed are kept' if failed else ''}"


@admin.register(Script)
class ScriptAdmin(Base):
    list_display = ("name", "newest", "description", "created_at")
    search_fields = ("name", "description")
    ordering = ("name",)
    list_per_page = 50
    show_full_result_count = False
    actions = None

    @admin.display(description="newest version")
    def newest(self, script: Any) -> str:
        return f"{script.name}@{script.newest_number}" if script.newest_number else ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Script]:
        newest = ScriptVersion.objects.filter(script=OuterRef("pk")).order_by("-number").values("number")[:1]
        return super().get_queryset(request).annotate(newest_number=Subquery(newest, output_field=IntegerField()))

    def has_view_permission(self, request: HttpRequest, obj: Script | None = None) -> bool:
        """Who starts runs chooses among the scripts, and so reads them."""
        return super().has_view_permission(request, obj) or may(request.user, Verb.START)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Script | None = None) -> bool:
        """Nobody changes a row; a version is added to it."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Script | None = None) -> bool:
        return False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return super().has_add_permission(request) and self._may_save(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            site.refuse(request.user, "runs.add_script and runs.add_scriptversion")
        form = ScriptForm(request.POST if request.method == "POST" else None)
        if (
            request.method == "POST"
            and form.is_valid()
            and (version := _saved(request, form, form.cleaned_data["name"]))
        ):
            messages.success(request, f"Saved {version}.")
            return redirect(_address(version))
        return self._page(request, "add", {"form": form, "title": "New script", "crumb": "New script"}, form)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            site.refuse(request.user, "runs.view_script or runs.start_run")
        script = self.get_object(request, object_id)
        newest = script.versions.order_by("-number").first() if script else None
        if script is None or newest is None:
            raise Http404("There is no such script.")
        if request.method != "POST":
            return self._script(request, script)
        if "keep" in request.POST:
            return self._keep(request, script)
        if not self._may_save(request):
            site.refuse(request.user, "runs.add_scriptversion")
        form = VersionForm(request.POST)
        if not (form.is_valid() and (version := _saved(request, form, script.name))):
            return self._script(request, script, form)
        if version.number <= newest.number:
            messages.warning(request, f"That is what {version} holds already, so it is no new version.")
        else:
            messages.success(request, f"Saved {version}.")
        return redirect(_address(version))

    def _keep(self, request: HttpRequest, script: Script) -> HttpResponse:
        """How long its runs are kept, from now on; the schedule that sees to it comes and goes with that."""
        if not request.user.has_perms(KEEPING):
            site.refuse(request.user, " and ".join(KEEPING))
        form = RetentionForm(request.POST)
        if not form.is_valid():
            return self._script(request, script, retention=form)
        with transaction.atomic():
            given = form.cleaned_data
            Script.objects.filter(pk=script.pk).update(keep_days=given["keep_days"], keep_failed=given["keep_failed"])
            record_other(request.user, script, script.name, form.words, given["reason"])
            keep_schedule()
        messages.success(request, f"{script.name}: {form.words}.")
        return redirect(reverse("admin:runs_script_change", args=[script.pk]))

    def _script(
        self,
        request: HttpRequest,
        script: Script,
        form: VersionForm | None = None,
        retention: RetentionForm | None = None,
    ) -> HttpResponse:
        """The page of a script: `?version=` chooses what is shown, `?with=` what that is compared to."""
        versions = list(script.versions.order_by("-number").defer("source__text")[:VERSIONS])
        shown = _chosen(script, request.GET.get("version", "")) or versions[0]
        before = script.versions.filter(number__lt=shown.number).order_by("-number").first()
        other = _chosen(script, request.GET.get("with", "")) or before
        if form is None:
            form = VersionForm(initial={"source": versions[0].source.text, "description": script.description})
        context = {
            "retention": retention or RetentionForm(initial=model_to_dict(script, ["keep_days", "keep_failed"])),
            "retention_days": conf().retention_days,
            "may_keep": request.user.has_perms(KEEPING),
            "script": script,
            "title": script.name,
            "crumb": script.name,
            "versions": versions,
            "shown": shown,
            "other": other,
            "lines": source.lines(shown.source.text),
            "plain": len(shown.source.text) > source.COLOURED_MOST,
            "findings": lint(shown.source.text),
            "diff": diff(other.source.text, shown.source.text) if other else [],
            "form": form,
            "may_save": self._may_save(request),
            "may_start": may(request.user, Verb.START),
        }
        return self._page(request, "script", context, retention if retention and retention.errors else form)

    def _page(self, request: HttpRequest, name: str, context: dict[str, Any], form: forms.Form) -> HttpResponse:
        frame = {**self.admin_site.each_context(request), "opts": self.opts}
        status = 422 if form.is_bound else 200
        return render(request, f"admin/runs/script/{name}.html", {**frame, **context}, status=status)

    def _may_save(self, request: HttpRequest) -> bool:
        return request.user.has_perm("runs.add_scriptversion")


def _saved(request: HttpRequest, form: VersionForm, name: str) -> ScriptVersion | None:
    """None where it was refused; the form then says why."""
    given = form.cleaned_data
    try:
        told = partial(audit.record_saved, request.user)
        return library.save(name, given["source"], unix_lines(given["description"]), also=told)
    except Refused as refused:
        form.add_error(None, str(refused))
        return None


def _chosen(script: Script, number: str) -> ScriptVersion | None:
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        return None
    return script.versions.select_related("source").filter(number=int(number)).first()


def _address(version: ScriptVersion) -> str:
    return f"{reverse('admin:runs_script_change', args=[version.script_id])}?version={version.number}"
