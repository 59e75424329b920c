"""The run that an address names, for who asks: seen and allowed, or refused in words and in the log."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest

from runs.access import Verb, require, told_refused, visible_runs
from runs.ids import is_id
from runs.models import Run


def run_for(request: HttpRequest, run_id: str, verb: Verb = Verb.VIEW, *, without: Sequence[str] = ()) -> Run:
    """The run, without those columns until they are asked for. Raises `Http404` for a run that the user does not see,
    as for one that is not there, and `Forbidden`."""
    if not is_id(run_id):  # a NUL character, say, is more than a database takes
        raise Http404
    runs = visible_runs(request.user).select_related("source", "script_version__script", "owner", "journal")
    run = runs.defer(*without).filter(pk=run_id).first()
    if run is None:
        if Run.objects.filter(pk=run_id).exists():
            told_refused(request.user, verb, run_id)
        raise Http404
    require(request.user, verb, run)
    return run
