"""Another attempt of a run that has failed retryably. The clock only queues it: the worker that claims it begins the
attempt here, since that takes a replay."""

from collections.abc import Callable

from journal.errors import FenceLost
from runs.errors import Refused
from runs.family import canceled, canceled_error, failed
from runs.host.rehearsal import Rehearsal
from runs.models import Run
from runs.operations import attempt
from runs.operations.children import CANCEL
from runs.operations.rehearsing import rehearse
from runs.operations.verbs import load, retry_told, without_failure


def try_again(run: Run, watch: Callable[[Rehearsal], None]) -> Run | None:
    """As an operator's retry, of a run that its worker holds and goes on to hold; returns it as it then is.

    None where it has ended instead: its cancellation was asked for, or the retry was refused and its failure is final.
    `watch` is given the replay before it begins. Raises `FenceLost` where another has the run.
    """
    mine = Run.objects.filter(pk=run.pk, fence=run.fence, status=run.status)
    try:
        if run.cancel_requested_at:
            ended = canceled(run, mine, canceled_error(run.cancel_reason))
        else:
            script = run.source is not None
            made = rehearse(run, without_failure(run), retry_told(run), watch=watch) if script else None
            attempt.begin(run, made, CANCEL)
            ended = 0
    except Refused:
        ended = failed(run, mine, run.error)
    if ended:
        return None
    begun = load(run.pk)
    if begun.fence != run.fence:
        raise FenceLost(run.pk, run.fence)
    return begun
