"""One batch: bounded in number and in time, each run by itself, each written down in the transaction of its verb."""

import time
from collections import Counter
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from runs import audit
from runs.access import may, told_refused
from runs.admin.runs.bulk.selection import Selection
from runs.admin.runs.bulk.touching import why_not
from runs.admin.runs.bulk.verbs import Bulk, Given
from runs.errors import Refused
from runs.models import Run

BATCH = 200
SECONDS = 5.0  # a batch ends with the run that it is at


@dataclass(slots=True)
class Batch:
    """So many runs were `done`, the others `left` for which reason; `before` is where the next batch goes on, "" for
    none."""

    done: int = 0
    left: Counter[str] = field(default_factory=Counter)
    before: str = ""

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """The most frequent first; a template would take the methods of a Counter for keys that it lacks."""
        return self.left.most_common(5)


def apply(bulk: Bulk, selection: Selection, user: User, given: Given) -> Batch:
    """`given`: what the form was sent with; `once` names the whole, `before` is where this batch begins."""
    told = Batch()
    runs, told.before = selection.batch(user, given["before"], BATCH)
    touched = audit.named(given["once"], [run.pk for run in runs])
    spared = why_not(bulk, runs, user)
    until = time.monotonic() + SECONDS
    for at, run in enumerate(runs):
        if run.pk in touched:
            told.done += 1  # by a batch that was interrupted
        elif why := spared[run.pk] or _one(bulk, run, user, given):
            told.left[why] += 1
            if not may(user, bulk.right, run):
                told_refused(user, bulk.right, run.pk)
        else:
            told.done += 1
        if time.monotonic() > until and at + 1 < len(runs):
            told.before = run.pk
            break
    return told


def _one(bulk: Bulk, run: Run, user: User, given: Given) -> str:
    """Why it was refused, "" where it was done."""
    try:
        bulk.act(run, given, user)
    except Refused as refused:
        return str(refused).replace(run.pk, "it")
    return ""
