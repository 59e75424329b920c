"""Starting a run from a page: an editor, filled from an example, the library, or another run."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from runs import audit, examples, library
from runs.access import Verb, require, visible_runs
from runs.errors import Refused
from runs.ids import is_id
from runs.library import UnknownScript
from runs.models import Run, Script, ScriptVersion
from runs.pages.forms import StartForm, as_text, unix_lines
from runs.starting import start

SCRIPTS = 100  # of the library, the newest ones


@login_required
def run_new(request: HttpRequest) -> HttpResponse:
    """GET shows the form, `?example=`, `?script=` and `?from=` fill it; POST starts the run, or says what is wrong."""
    require(request.user, Verb.START)
    if request.method == "POST":
        return _start(request)
    filled, problem = _filled(request)
    return _page(request, StartForm(initial=filled), problem=problem, status=404 if problem else 200)


def _start(request: HttpRequest) -> HttpResponse:
    form = StartForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    given = form.cleaned_data
    version = _version(given["script"], given["source"])
    facts = {"script": str(version)} if version else {}
    try:
        started = start(
            version.source.text if version else given["source"],
            input=given["input"],
            title=given["title"] or (version.script.name if version else ""),
            owner=request.user if request.user.is_authenticated else None,
            key=form.key(request.user.pk),
            origin="page",
            script_version=version,
            also=lambda started: audit.record(request.user, started.run, "start", **facts),
        )
    except Refused as refused:
        form.add_error(None, str(refused))
        return _page(request, form, status=422)
    if not started.created:
        messages.info(request, "This form had started this run before; it was not started a second time.")
    return redirect("run-detail", started.run.pk)


def _page(request: HttpRequest, form: StartForm, *, problem: str = "", status: int = 200) -> HttpResponse:
    scripts = Script.objects.order_by("name").values_list("name", flat=True)[:SCRIPTS]
    context = {"form": form, "here": "new", "problem": problem, "examples": examples.all_examples(), "scripts": scripts}
    return render(request, "runs/new.html", context, status=status)


def _filled(request: HttpRequest) -> tuple[dict[str, Any], str]:
    """The fields to begin with, and what to say where there is no such script, example or run."""
    for name, fill in _FILLERS.items():
        if named := request.GET.get(name):
            try:
                return fill(request, named), ""
            except (UnknownScript, KeyError) as missing:
                return {}, str(missing) if isinstance(missing, UnknownScript) else f"There is no {name} “{named}”."
    return {}, ""


def _from_example(_request: HttpRequest, name: str) -> dict[str, Any]:
    return {"source": examples.load(name).source, "title": name.replace("_", " ").capitalize()}


def _from_library(_request: HttpRequest, reference: str) -> dict[str, Any]:
    version = library.find(reference)
    return {"source": version.source.text, "title": version.script.name, "script": str(version)}


def _from_run(request: HttpRequest, run_id: str) -> dict[str, Any]:
    """Of a run that the person sees: its script, its input and its title, to be edited and run again."""
    named = visible_runs(request.user).filter(pk=run_id) if is_id(run_id) else Run.objects.none()
    run = named.select_related("source", "script_version__script").first()
    if run is None or run.source is None:
        raise KeyError(run_id)
    script = str(run.script_version) if run.script_version else ""
    return {"source": run.source.text, "input": as_text(run.input), "title": run.title, "script": script}


_FILLERS: dict[str, Callable[[HttpRequest, str], dict[str, Any]]] = {
    "example": _from_example,
    "script": _from_library,
    "from": _from_run,
}


def _version(reference: str, source: str) -> ScriptVersion | None:
    """The version of the library that the form was filled from, if its source was left as it is."""
    try:
        version = library.find(reference) if reference else None
    except UnknownScript:
        return None
    return version if version and unix_lines(version.source.text) == source else None
