"""Retention: ended runs are deleted after so many days, as their script says, or the setting for all others.

A firing of its schedule works for a bounded time, and the next one goes on. Off, and without a schedule, as long as
nobody has said a number of days. Copies stay: a run that somebody imports today may have ended years ago.
"""

import random
import time
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_q.models import Schedule

from runs.audit import record_pruned
from runs.conf import conf
from runs.lifecycle import TERMINAL, Status
from runs.locking import Alone, alone
from runs.models import Script
from runs.pruning.asked import Asked
from runs.pruning.deleting import Deleted
from runs.pruning.pruning import prune

NAME = "daybook retention"
TASK = "runs.tasks.retain"
MINUTES = 10  # between two firings
SECONDS = 20  # of one
BATCH = 200  # runs; the firing shares the database with workers


def policies(now: datetime) -> dict[str, Asked]:
    """What is to be deleted, by whose it is: the names of scripts, and "" for all runs of no script that says so."""
    kept = Script.objects.filter(keep_days__gt=0)
    told = {script.name: _asked(now, script.keep_days or 0, Q(script=script), script.keep_failed) for script in kept}
    if days := conf().retention_days:
        told[""] = _asked(now, days, Q(script__keep_days=None), keep_failed=False)
    return told


def _asked(now: datetime, days: int, of: Q, keep_failed: bool) -> Asked:
    stay = {Status.IMPORTED, Status.FAILED} if keep_failed else {Status.IMPORTED}
    return Asked(now - timedelta(days=days), frozenset(TERMINAL) - stay, of)


def fire(seconds: float = SECONDS) -> Deleted:
    """Delete what is due, for so long; in another order each time, so that none waits for another for ever."""
    asked = list(policies(timezone.now()).items())
    random.shuffle(asked)
    until, total = time.monotonic() + seconds, Deleted()

    def told(done: Deleted) -> None:
        nonlocal total
        total += done

    for script, of in asked:
        also = partial(record_pruned, reason="retention", script=script or "none that says")
        if not prune(of, batch=BATCH, stop=lambda: time.monotonic() > until, told=told, also=also):
            break
    return total


def keep_schedule() -> None:
    """Have the schedule there while anybody has said a number of days, and only then; once, whoever else does it."""
    with transaction.atomic():
        alone(Alone.SCHEDULES)
        rows = Schedule.objects.filter(func=TASK)
        if not policies(timezone.now()):
            rows.delete()
        elif not rows.exists():
            Schedule.objects.create(
                name=NAME,
                func=TASK,
                schedule_type=Schedule.MINUTES,
                minutes=MINUTES,
                repeats=-1,
                next_run=timezone.now(),
            )
