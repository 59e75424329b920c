"""Trees whose runs have ended so many days ago, or have not."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from journal import bodies, store
from journal.entries import Entry
from runs.columns import error_fields
from runs.family import make_children
from runs.host.ports import NewChild
from runs.ids import new_id
from runs.lifecycle import TERMINAL
from runs.making import make, of_child, of_successor
from runs.models import Message, Run, Source
from runs.pruning import Asked
from runs.times import to_ms

SCRIPT = "export default async () => 1"
ERROR = {"code": "tool-error", "message": "no"}


def old(days: float = 10, status: str = "succeeded", **fields: Any) -> Run:
    """A run that was made and ended so long ago, or has that status since; with an entry and a message."""
    at = timezone.now() - timedelta(days=days)
    with transaction.atomic():
        run = make(new_id(to_ms(at)), new_source=Source.of(fields.pop("source", SCRIPT)), **fields)
        store.append(run.pk, 0, [Entry.of(1, to_ms(at), bodies.log(1, "info", "a line", None))])
        Message.objects.create(run=run, chain=run.chain, kind=Message.Kind.SIGNAL, name="go", dedup_id=f"id {run.pk}")
    told = {"imported": {}} if status == "imported" else {}
    Run.objects.filter(pk=run.pk).update(**standing(status, at), **told)
    return Run.objects.get(pk=run.pk)


def standing(status: str, at: datetime) -> dict[str, Any]:
    told: dict[str, Any] = {"status": status, "finished_at": at if status in TERMINAL else None}
    if status == "running":
        told |= {"lease_until": timezone.now() + timedelta(hours=1), "worker": "somebody"}
    return told | (error_fields(ERROR) if status == "failed" else {})


def child(parent: Run, days: float = 10, status: str = "succeeded", **fields: Any) -> Run:
    return old(days, status, **of_child(parent), parent_call_seq=1, **fields)


def successor(run: Run, days: float = 10, status: str = "succeeded") -> Run:
    made = old(days, status, **{name: value for name, value in of_successor(run).items() if name != "source_id"})
    Run.objects.filter(pk=run.pk).update(successor=made.pk)
    return made


def delegating(text: str, days: float = 10) -> Run:
    """A tree of two, whose root's journal names the script of its child."""
    root = old(days, "running")
    told = bodies.delegate(2, {"script": text, "input": None}, new_id(), 1, None)
    with transaction.atomic():
        make_children(root, [NewChild(told["childRunId"], 2, None, "", source=text)])
        store.append(root.pk, 0, [Entry.of(2, 0, told)])
    at = timezone.now() - timedelta(days=days)
    Run.objects.filter(root_id=root.pk).update(**standing("succeeded", at), lease_until=None, worker="")
    return Run.objects.get(pk=root.pk)


def older_than(days: float = 5, **asked: Any) -> Asked:
    return Asked(timezone.now() - timedelta(days=days), **asked)


def left() -> set[str]:
    return set(Run.objects.values_list("pk", flat=True))
