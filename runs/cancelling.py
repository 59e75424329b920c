"""Cancelling a run and all below it. What waits is canceled at once; what a worker holds is told, and ends itself."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from runs import copies
from runs.errors import BadInput, NotPossible, UnknownRun
from runs.family import canceled, canceled_error
from runs.lifecycle import TERMINAL, Move, Status, move, touch
from runs.locking import upwards
from runs.models import Run
from runs.nudges import nudge
from runs.starting import check_text
from runs.watching import hints

REASON_MAX = 500


@dataclass(frozen=True, slots=True)
class Canceled:
    """The ids of the runs that were canceled, and of those whose workers were told to end them."""

    done: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def cancel(run_id: str, reason: str = "", *, also: Callable[[Run], None] | None = None) -> Canceled:
    """Cancel the run, or its newest successor, and their descendants, from the top down.

    Of several runs, all are first asked to end in one transaction: whatever becomes of this process, none goes on.
    `also` gets the run that it begins at, in the transaction that decides it, and is not called where nothing is done.

    Raises `UnknownRun`, `BadInput` for a reason that cannot be kept, and `NotPossible` for a run that has ended.
    """
    if len(reason) > REASON_MAX:
        raise BadInput(f"the reason has {len(reason)} characters, the most is {REASON_MAX}")
    check_text(reason, "the reason")
    run = _newest(run_id)
    copies.refuse(run, "canceled")
    if run.status in TERMINAL:
        raise _has_ended(run.status)
    decided = None if also is None else partial(also, run)
    asked = len(list(islice(_below(run), 2))) > 1 and _asked_all(run, reason, decided)
    if asked:
        decided = None
    result = Canceled()
    seen: set[str] = set()
    # Again until nothing is new: a run that a worker holds may have made children before it was told.
    while new := [pk for pk in _below(run) if pk not in seen]:
        seen.update(new)
        for pk in new:
            if _cancel(pk, reason, result, decided):
                decided = None
    if not (asked or result.done or result.told):  # workers may have ended by now what was asked to end
        raise _has_ended(_newest(run_id).status)
    return result


def _asked_all(run: Run, reason: str, decided: Callable[[], None] | None) -> int:
    with transaction.atomic():
        asked = ask_to_end([run], reason)
        if asked and decided is not None:
            decided()
        return asked


def ask_to_end(tops: Iterable[Run], reason: str) -> int:
    """Have these runs and all below them end, whatever becomes of this process once the caller's transaction has been
    committed: whoever holds one is told, and what waits is queued, for a worker to end it. `cancel` is faster. Returns
    how many had not been asked before.

    Locks go from child to parent, so this comes before the caller locks a run above them.
    """
    ids = {pk for top in tops for pk in _below(top)}
    rows = Run.objects.filter(pk__in=ids)
    upwards(rows)
    asked = touch(rows.exclude(status__in=TERMINAL).filter(cancel_requested_at=None), **_asked(reason))
    if move(rows, Move.WAKE):
        nudge()
    hints.changed(*ids)
    return asked


def _asked(reason: str) -> dict[str, Any]:
    return {"cancel_requested_at": timezone.now(), "cancel_reason": reason}


def affected(run_id: str) -> QuerySet[Run]:
    """The runs that a cancel would stop, the run or its successor first, parents before their children; none where it
    has ended. Raises `UnknownRun`."""
    run = _newest(run_id)
    ids = [] if run.status in TERMINAL else list(_below(run))
    return Run.objects.filter(pk__in=ids).order_by("depth", "pk")


def _has_ended(status: str) -> NotPossible:
    return NotPossible(f"the run has ended ({status}) and cannot be canceled; fork it to go on from one of its calls")


def _newest(run_id: str) -> Run:
    while True:
        run = Run.objects.filter(pk=run_id).first()
        if run is None:
            raise UnknownRun(run_id)
        if not run.successor:
            return run
        run_id = run.successor


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


def _cancel(run_id: str, reason: str, result: Canceled, also: Callable[[], None] | None) -> bool:
    """Whether it was canceled or told; then `also` was called."""
    with transaction.atomic():
        fields = ("pk", "status", "parent_id", "parent_call_seq", "concurrency_key")
        run = Run.objects.select_for_update().only(*fields).filter(pk=run_id).first()
        if run is None:  # it has ended meanwhile, and was deleted
            return False
        mine = Run.objects.filter(pk=run_id)
        asked = _asked(reason)
        if run.status == Status.RUNNING:
            touch(mine.filter(cancel_requested_at=None), **asked)
            hints.changed(run_id)
            result.told.append(run_id)
        elif canceled(run, mine, canceled_error(reason), **asked):
            result.done.append(run_id)
        else:
            return False
        if also is not None:
            also()
    return True
