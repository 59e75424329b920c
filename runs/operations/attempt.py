"""Another attempt of a run, in one transaction: marks what is left behind and writes what the replay needs. Of a run
that nobody holds it takes the fence, and queues it; one that its worker has claimed for that stays with the worker."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from journal import store
from journal.bodies import Body
from journal.entries import Entry
from journal.models import Journal
from runs.columns import NO_ERROR
from runs.errors import NotPossible
from runs.family import make_children
from runs.health.signs import Sign, shown
from runs.lifecycle import Move, Status, move, touch
from runs.making import deadline
from runs.models import Run, Source
from runs.nudges import nudge
from runs.operations import children
from runs.operations.rehearsing import Rehearsed
from runs.times import to_ms
from runs.watching import hints


def begin(run: Run, made: Rehearsed | None, choice: str | None, also: Callable[[], None] | None = None) -> None:
    """`run` as it was read before the rehearsal; raises `NotPossible`, and changes nothing, where it has moved since.

    `made` is None for a run without a script. `choice` is what becomes of live children of calls that are made again.
    `also` is called at the end of the transaction.
    """
    why = f"call of run {run.pk} is made again"
    with transaction.atomic():
        loose = [] if made is None else children.settled(children.live(run, made.remade()), choice, why)
        if not _revive(run, made):
            raise NotPossible(f"run {run.pk} has moved on meanwhile; look at it and try again")
        if made is not None:
            _write(run, made)
            children.let_go(loose)
            children.forget_answers(run, made.remade())
            children.tell_again(run, made.still_open())
        hints.changed(run.pk)
        if also is not None:
            also()
    if choice == children.CANCEL:
        children.cancel_all(loose, why)


def _revive(run: Run, made: Rehearsed | None) -> int:
    changes: dict[str, Any] = {
        "attempt": run.attempt + 1,
        "deadline_at": deadline(run.budget),
        "output": None,
        "progress": None,
        "crashes": 0,
        "crashed_at_seq": 0,
        **NO_ERROR,
    }
    if made is not None and made.report.orphans:
        changes |= shown(Sign.ORPHANS)
    if made is not None and (run.source is None or made.source != run.source.text):  # no longer what the library has
        changes |= {"source": Source.keep(made.source), "script_version": None}
    mine = Run.objects.filter(pk=run.pk, status=run.status, fence=run.fence, attempt=run.attempt)
    if run.status == Status.RUNNING:  # its holder's own, which a cancellation may reach at any time
        return touch(mine, **changes)
    moved = move(mine, Move.REVIVE, fence=F("fence") + 1, cancel_requested_at=None, **changes)
    if moved:
        store.take_fence([run.journal_id])
        nudge()
    return moved


def _write(run: Run, made: Rehearsed) -> None:
    """A late result of the last holder may have come in since the journal was read: then nothing of this is right."""
    journal = Journal.objects.get(pk=run.journal_id)
    if journal.next_seq != run.journal.next_seq:
        raise NotPossible(f"a result of run {run.pk} has come in meanwhile; look at it and try again")
    store.supersede(run.journal_id, made.changes.superseded, run.attempt + 1)
    store.append(run.journal_id, journal.fence, entries_from(journal.next_seq, [made.notice, *made.changes.appended]))
    if made.changes.early:
        make_children(run, made.stood.round.children)


def entries_from(seq: int, bodies: list[Body]) -> list[Entry]:
    now = to_ms(timezone.now())
    return [Entry.of(seq + at, now, body) for at, body in enumerate(bodies)]
