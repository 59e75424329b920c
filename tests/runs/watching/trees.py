"""Runs whose journals a test writes itself."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from journal import bodies, store
from journal.entries import Entry
from journal.models import Journal
from runs.family import make_children
from runs.host.ports import NewChild
from runs.ids import new_id
from runs.models import Run
from runs.starting import start

SCRIPT = "export default async () => 1"


def root(owner: User, **fields: Any) -> Run:
    return start(SCRIPT, owner=owner, **fields).run


def child(parent: Run, title: str = "") -> Run:
    run_id = new_id()
    with transaction.atomic():
        make_children(parent, [NewChild(run_id, 1, None, title, source=SCRIPT)])
    return Run.objects.get(pk=run_id)


def append(run: Run, count: int = 1, text: str = "line") -> int:
    """So many entries in one transaction; the seq of the last."""
    journal = Journal.objects.get(pk=run.journal_id)
    first = journal.next_seq
    entries = [Entry.of(seq, 0, bodies.log(seq, "info", f"{text} {seq}", None)) for seq in range(first, first + count)]
    store.append(run.journal_id, journal.fence, entries)
    return first + count - 1
