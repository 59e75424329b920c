"""The run that an action names, for who asks: seen and allowed, or refused in words and in the log."""

from collections.abc import Collection

from runs.access import Verb, require, told_refused, visible_runs
from runs.api.caller import Caller
from runs.errors import NotPossible, UnknownRun
from runs.ids import is_id
from runs.models import Run

_RELATED = ("journal", "source", "script_version__script", "owner")


def run_for(caller: Caller, run_id: str, verb: Verb = Verb.VIEW, *, related: tuple[str, ...] = ("owner",)) -> Run:
    """The run, with these rows beside it. Raises `UnknownRun` for one that the user does not see, as for one that is
    not there, and `Forbidden`."""
    if not is_id(run_id):  # a NUL character, say, is more than a database takes
        raise UnknownRun(run_id)
    run = visible_runs(caller.user).select_related(*related).filter(pk=run_id).first()
    if run is None:
        if Run.objects.filter(pk=run_id).exists():
            told_refused(caller.user, verb, run_id)
        raise UnknownRun(run_id)
    require(caller.user, verb, run)
    return run


def check_seen(caller: Caller, run_ids: Collection[str]) -> None:
    """Raises `UnknownRun` for a run that the user does not see. One that was deleted is not hidden from anybody."""
    seen = visible_runs(caller.user).filter(pk__in=run_ids).values("pk")
    if run_ids and (hidden := Run.objects.filter(pk__in=run_ids).exclude(pk__in=seen).only("pk").first()) is not None:
        told_refused(caller.user, Verb.VIEW, hidden.pk)
        raise UnknownRun(hidden.pk)


def all_of(caller: Caller, run_id: str, verb: Verb = Verb.VIEW) -> Run:
    """The same with all that `runs.reading.facts` tells of."""
    return run_for(caller, run_id, verb, related=_RELATED)


def of_key(caller: Caller, run_id: str) -> Run:
    """The run that an idempotency key has named. Raises `NotPossible` where it is not the caller's to see."""
    run = visible_runs(caller.user).select_related(*_RELATED).filter(pk=run_id).first()
    if run is None:
        told_refused(caller.user, Verb.VIEW, run_id)
        raise NotPossible("that idempotency key names a run that is not yours to see; give another key")
    return run
