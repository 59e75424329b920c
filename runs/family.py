"""What parent and child runs owe each other: a child is made with the call that asked for it, and its end is a message
in the parent's inbox, in the transaction of that end. Whoever ends a run, for whatever reason, does so here."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from journal import store
from runs import places
from runs.codes import Code
from runs.columns import error_fields
from runs.conf import conf
from runs.host.failure import run_error
from runs.host.ports import NewChild
from runs.ids import new_id
from runs.lifecycle import TERMINAL, Move, move
from runs.models import Message, Run, Source
from runs.nudges import nudge
from runs.realm import REALM_VERSION
from runs.signals import wake
from runs.watching import hints


def make_children(parent: Run, children: Sequence[NewChild]) -> None:
    """The rows of children whose `call` entries are being written; they go on the parent's queue.

    The parent's row is locked, so that a cancel either finds them or was seen here, and then they never begin.
    """
    standing = Run.objects.select_for_update().only("cancel_requested_at", "cancel_reason").get(pk=parent.pk)
    for child in children:
        journal = store.create(child.run_id, REALM_VERSION)
        run = Run(
            id=child.run_id,
            journal=journal,
            kind=Run.Kind.AGENT if child.agent else Run.Kind.WORKFLOW,
            agent=child.agent or "",
            source=Source.keep(child.source) if child.source is not None else None,
            script_version_id=child.script_version,
            title=child.title[:200],
            input=child.input,
            owner_id=parent.owner_id,
            origin="delegate",
            parent=parent,
            parent_call_seq=child.call_seq,
            root_id=parent.root_id,
            depth=parent.depth + 1,
            chain=child.run_id,
            queue=parent.queue,
            priority=parent.priority,
            deadline_at=timezone.now() + timedelta(seconds=conf().wall_seconds),
        )
        run.save(force_insert=True)
        if standing.cancel_requested_at:
            error = canceled_error(standing.cancel_reason)
            move(Run.objects.filter(pk=run.pk), Move.CANCEL, error=error, error_code=error["code"])
    nudge()


def canceled_words(reason: str) -> str:
    return f"canceled{f': {reason}' if reason else ''}. {Code.CANCELED.help}"


def canceled_error(reason: str) -> dict[str, Any]:
    """The error of a run that was canceled."""
    return run_error(Code.CANCELED, canceled_words(reason), "")


def failed(run: Run, mine: models.QuerySet[Run], error: dict[str, Any], **changes: Any) -> int:
    """As `ended`, for a run that fails with `error`."""
    return ended(run, mine, Move.FAIL, False, error, **error_fields(error), **changes)


def canceled(run: Run, mine: models.QuerySet[Run], error: dict[str, Any], **changes: Any) -> int:
    """As `ended`, for a run that is canceled."""
    return ended(run, mine, Move.CANCEL, False, error, **error_fields(error), **changes)


def ended(run: Run, mine: models.QuerySet[Run], name: Move, ok: bool, value: Any, **changes: Any) -> int:
    """Make the move that ends a run and tell its parent, in one transaction. Locks are taken from child to parent.

    `mine` is the run's row, if it is still as the caller believes; returns 0 where it is not.
    """
    with transaction.atomic():
        moved = move(mine, name, **changes)
        if moved:
            places.left(run.concurrency_key)
            hints.changed(run.pk)
        if moved and run.parent_id is not None:
            _answer(run, ok, value)
    return moved


def _answer(child: Run, ok: bool, value: Any) -> None:
    """`value` is the output, or the error. A parent that has ended is told nothing, nor is one that has let go of the
    child: a rewind may do that while the child runs, so its row is asked and not what its worker remembers."""
    call_seq = Run.objects.values_list("parent_call_seq", flat=True).get(pk=child.pk)
    if call_seq is None:
        return
    fields = ("pk", "status", "chain", "error_code")
    parent = Run.objects.select_for_update().only(*fields).get(pk=child.parent_id)
    if parent.status in TERMINAL:
        return
    payload = {"ok": ok, "value": value, "childRunId": child.pk}
    Message.objects.create(run=parent, chain=parent.chain, kind=Message.Kind.CHILD, call_seq=call_seq, payload=payload)
    wake(parent)


def succeed_with(run: Run, state: Any) -> Run:
    """The successor of a run: the same script, title, queue and place in the tree, `state` as its input, the inbox of
    the run, and the call to answer."""
    run_id = new_id()
    successor = Run(
        id=run_id,
        journal=store.create(run_id, REALM_VERSION),
        source_id=run.source_id,
        script_version_id=run.script_version_id,
        concurrency_key=run.concurrency_key,
        concurrency_limit=run.concurrency_limit,
        title=run.title,
        input=state,
        owner_id=run.owner_id,
        origin=run.origin,
        budget=run.budget,
        parent_id=run.parent_id,
        parent_call_seq=run.parent_call_seq,
        root_id=run.root_id,
        depth=run.depth,
        chain=run.chain,
        continued_from=run,
        queue=run.queue,
        priority=run.priority,
        deadline_at=timezone.now() + timedelta(seconds=run.budget.get("wallSeconds", conf().wall_seconds)),
    )
    successor.save(force_insert=True)
    Message.objects.filter(run=run, taken_seq=None, kind=Message.Kind.SIGNAL).update(run=successor)
    nudge()
    return successor
