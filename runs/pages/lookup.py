"""The run that an address names, for who asks: seen and allowed, or refused in words and in the log."""

from django.http import Http404, HttpRequest

from runs.access import Verb, require, told_refused, visible_runs
from runs.models import Run


def run_for(request: HttpRequest, run_id: str, verb: Verb = Verb.VIEW) -> Run:
    """Raises `Http404` for a run that the user does not see, as for one that is not there, and `Forbidden`."""
    runs = visible_runs(request.user).select_related("source", "script_version__script", "owner", "journal")
    run = runs.filter(pk=run_id).first()
    if run is None:
        if Run.objects.filter(pk=run_id).exists():
            told_refused(request.user, verb, run_id)
        raise Http404
    require(request.user, verb, run)
    return run
