"""What parent and child runs owe each other: a child is made with the call that asked for it, and its end is a message
in the parent's inbox, in the transaction of that end. Whoever ends a run, for whatever reason, does so here."""

from collections.abc import Sequence
from typing import Any

from django.db import models, transaction

from runs import places
from runs.codes import Code
from runs.columns import error_fields
from runs.host.failure import run_error
from runs.host.ports import NewChild
from runs.ids import new_id
from runs.lifecycle import TERMINAL, Move, move
from runs.making import make, of_child, of_successor
from runs.models import Message, Run, Source
from runs.nudges import nudge
from runs.signals import wake
from runs.watching import hints


def make_children(parent: Run, children: Sequence[NewChild]) -> None:
    """The rows of children whose `call` entries are being written; they go on the parent's queue.

    The parent's row is locked, so that a cancel either finds them or was seen here, and then they never begin.
    """
    standing = Run.objects.select_for_update().only("cancel_requested_at", "cancel_reason").get(pk=parent.pk)
    for child in children:
        run = make(
            child.run_id,
            kind=Run.Kind.AGENT if child.agent else Run.Kind.WORKFLOW,
            agent=child.agent or "",
            source=Source.keep(child.source) if child.source is not None else None,
            script_version_id=child.script_version,
            script_id=child.script_id,
            title=child.title[:200],
            input=child.input,
            parent_call_seq=child.call_seq,
            parent_step=child.step,
            **of_child(parent),
        )
        if standing.cancel_requested_at:
            error = canceled_error(standing.cancel_reason)
            move(Run.objects.filter(pk=run.pk), Move.CANCEL, **error_fields(error))
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
        moved = places.leave(mine, name, run.concurrency_key, **changes)
        if moved:
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


def continued(run: Run, mine: models.QuerySet[Run], state: Any, **changes: Any) -> int:
    """End the run and make its successor: `state` is its input, the inbox is handed on, and all else is as
    `making.of_successor` says. The parent is told nothing: the last of the chain answers. Returns 0 as `ended`."""
    with transaction.atomic(savepoint=False):
        successor_id = new_id()
        moved = places.leave(mine, Move.SUCCEED, run.concurrency_key, successor=successor_id, **changes)
        if moved:
            _succeed_with(run, successor_id, state)
    return moved


def _succeed_with(run: Run, successor_id: str, state: Any) -> None:
    successor = make(successor_id, input=state, **of_successor(run))
    Message.objects.filter(run=run, taken_seq=None, kind=Message.Kind.SIGNAL).update(run=successor)
    nudge()
