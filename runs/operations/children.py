"""What becomes of children whose calls are made again: the operator says whether they go on or are canceled."""

from collections.abc import Collection, Iterable, Sequence

from django.db.models import QuerySet

from journal.entries import Entry
from runs.cancelling import cancel
from runs.errors import BadInput, NotPossible
from runs.lifecycle import TERMINAL, touch
from runs.models import Message, Run

KEEP, CANCEL = "keep", "cancel"
_SHOWN = 5


def check_choice(children: str | None) -> None:
    if children not in (None, KEEP, CANCEL):
        raise BadInput(f"children is {KEEP} or {CANCEL}, not {children!r}")


def live(run: Run, calls: Collection[int] | None = None) -> QuerySet[Run]:
    """Children that have not ended, of these calls or of all."""
    children = Run.objects.filter(parent=run, parent_call_seq__isnull=False).exclude(status__in=TERMINAL).order_by("pk")
    return children if calls is None else children.filter(parent_call_seq__in=calls)


def ask(children: Sequence[Run], choice: str | None) -> None:
    """Raises `NotPossible` where there are live children and nobody has said what becomes of them."""
    if children and choice is None:
        named = ", ".join(f"{child.pk} (call {child.parent_call_seq})" for child in children[:_SHOWN])
        more = f" and {len(children) - _SHOWN} more" if len(children) > _SHOWN else ""
        raise NotPossible(
            f"children of calls that are made again have not ended: {named}{more}. Say what becomes of them:"
            f" {KEEP} lets them go on by themselves, {CANCEL} cancels them; either way the call makes a new child"
        )


def let_go(children: Iterable[Run]) -> None:
    """The parent is no longer told of their end."""
    touch(Run.objects.filter(pk__in=[child.pk for child in children]), parent_call_seq=None)


def cancel_all(children: Iterable[Run], reason: str) -> None:
    """One may have ended by itself since."""
    for child in children:
        try:
            cancel(child.pk, reason)
        except NotPossible:
            continue


def tell_again(run: Run, calls: Iterable[Entry]) -> None:
    """A child that ended while its parent was ended has told nobody: its answer is put into the inbox now."""
    for call in calls:
        last = Run.objects.filter(parent=run, parent_call_seq=call.call_seq, status__in=TERMINAL, continued_as=None)
        child = last.order_by("-pk").first()
        told = Message.objects.filter(run=run, kind=Message.Kind.CHILD, call_seq=call.call_seq, taken_seq=None)
        if child is None or told.exists():
            continue
        ok = child.error is None
        payload = {"ok": ok, "value": child.output if ok else child.error, "childRunId": child.pk}
        Message.objects.create(
            run=run, chain=run.chain, kind=Message.Kind.CHILD, call_seq=call.call_seq, payload=payload
        )


def forget_answers(run: Run, calls: Collection[int]) -> None:
    """Answers that were not taken, to calls that are made again."""
    Message.objects.filter(run=run, kind=Message.Kind.CHILD, taken_seq=None, call_seq__in=calls).delete()
