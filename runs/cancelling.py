"""Cancelling a run and all below it. What waits is canceled at once; what a worker holds is told, and ends itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from runs.errors import BadInput, NotPossible, UnknownRun
from runs.family import canceled, canceled_error
from runs.lifecycle import TERMINAL, Status
from runs.models import Run

REASON_MAX = 500


@dataclass(frozen=True, slots=True)
class Canceled:
    """The ids of the runs that were canceled, and of those whose workers were told to end them."""

    done: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def cancel(run_id: str, reason: str = "") -> Canceled:
    """Cancel the run, or its newest successor, and their descendants, from the top down.

    Raises `UnknownRun`, `BadInput` for a reason that is too long, and `NotPossible` for a run that has ended.
    """
    if len(reason) > REASON_MAX or "\0" in reason:
        raise BadInput(f"the reason has at most {REASON_MAX} characters, and no NUL character")
    run = _newest(run_id)
    if run.status in TERMINAL:
        raise _has_ended(run.status)
    result = Canceled()
    seen: set[str] = set()
    # Again until nothing is new: a run that a worker holds may have made children before it was told.
    while new := [pk for pk in _below(run) if pk not in seen]:
        seen.update(new)
        for pk in new:
            _cancel(pk, reason, result)
    if not (result.done or result.told):
        run.refresh_from_db()
        raise _has_ended(run.status)
    return result


def affected(run_id: str) -> QuerySet[Run]:
    """The runs that a cancel would stop, the run or its successor first, parents before their children; none where it
    has ended. Raises `UnknownRun`."""
    run = _newest(run_id)
    ids = [] if run.status in TERMINAL else list(_below(run))
    return Run.objects.filter(pk__in=ids).order_by("depth", "pk")


def _has_ended(status: str) -> NotPossible:
    return NotPossible(f"the run has ended ({status}) and cannot be canceled; fork it to go on from one of its calls")


def _newest(run_id: str) -> Run:
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise UnknownRun(run_id)
    while (successor := Run.objects.filter(continued_from=run).first()) is not None:
        run = successor
    return run


def _below(run: Run) -> Iterator[str]:
    """The runs of the subtree that have not ended, parents before their children. What the predecessors of a run have
    started and not waited for belongs to it too, and so may a child that is alive below one that has ended."""
    rows = (
        Run.objects.filter(root_id=run.root_id)
        .order_by("depth", "pk")
        .values_list("pk", "parent_id", "chain", "status")
    )
    inside: set[str] = set()
    for pk, parent_id, chain, status in rows:
        if chain == run.chain or parent_id in inside:
            inside.add(pk)
            if status not in TERMINAL:
                yield pk


def _cancel(run_id: str, reason: str, result: Canceled) -> None:
    with transaction.atomic():
        run = Run.objects.select_for_update().only("pk", "status", "parent_id", "parent_call_seq").get(pk=run_id)
        mine = Run.objects.filter(pk=run_id)
        asked = {"cancel_requested_at": timezone.now(), "cancel_reason": reason}
        if run.status == Status.RUNNING:
            mine.filter(cancel_requested_at=None).update(**asked)
            result.told.append(run_id)
        elif canceled(run, mine, canceled_error(reason), **asked):
            result.done.append(run_id)
