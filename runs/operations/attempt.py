"""Another attempt of a run that nobody holds: takes the fence, marks what is left behind, writes what the replay needs,
and queues the run, in one transaction."""

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
from runs.lifecycle import Move, move
from runs.making import deadline
from runs.models import Run, Source
from runs.nudges import nudge
from runs.operations import children
from runs.operations.rehearsing import Rehearsed


def begin(run: Run, made: Rehearsed | None, choice: str | None) -> None:
    """`run` as it was read before the rehearsal; raises `NotPossible`, and changes nothing, where it has moved since.

    `made` is None for a run without a script. `choice` is what becomes of live children of calls that are made again.
    """
    with transaction.atomic():
        loose = _loose(run, made)
        children.ask(loose, choice)
        if not _revive(run, made):
            raise NotPossible(f"run {run.pk} has moved on meanwhile; look at it and try again")
        store.take_fence([run.journal_id])
        if made is not None:
            _write(run, made)
            children.let_go(loose)
            children.forget_answers(run, made.remade())
            children.tell_again(run, made.still_open())
        nudge()
    if choice == children.CANCEL:
        children.cancel_all(loose, f"call of run {run.pk} is made again")


def _loose(run: Run, made: Rehearsed | None) -> list[Run]:
    """Locked before their parent, as when they end."""
    return [] if made is None else list(children.live(run, made.remade()).select_for_update())


def _revive(run: Run, made: Rehearsed | None) -> int:
    changes: dict[str, Any] = {
        "attempt": run.attempt + 1,
        "fence": F("fence") + 1,
        "deadline_at": deadline(run.budget),
        "output": None,
        "progress": None,
        "cancel_requested_at": None,
        "crashes": 0,
        "crashed_at_seq": 0,
        **NO_ERROR,
    }
    if made is not None and made.report.orphans:
        changes |= shown(Sign.ORPHANS)
    if made is not None and (run.source is None or made.source != run.source.text):  # no longer what the library has
        changes |= {"source": Source.keep(made.source), "script_version": None}
    mine = Run.objects.filter(pk=run.pk, status=run.status, fence=run.fence, attempt=run.attempt)
    return move(mine, Move.REVIVE, **changes)


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
    now = int(timezone.now().timestamp() * 1000)
    return [Entry.of(seq + at, now, body) for at, body in enumerate(bodies)]
