"""What an operator should look at: the oldest runs that wait, journals that fill up, nudges that have failed."""

from dataclasses import dataclass
from datetime import datetime

from django_q.models import Task

from runs import nudges
from runs.activity import one_line
from runs.finding import COLUMNS, rows
from runs.health.signs import Sign
from runs.lifecycle import Status
from runs.models import Run

MOST = 20
_LOOKED_AT = 2_000  # runs with any sign


@dataclass(frozen=True, slots=True)
class Nudge:
    """One that has failed: a fault of ours or of the machine, since runs fail in their rows. The last line of why."""

    at: datetime
    why: str


def oldest_waiting() -> list[Run]:
    """The parked runs that were made first, as rows of a list; payloads are not loaded."""
    # As the lists ask, so that the same index answers it: see Run.Meta.
    return list(rows(COLUMNS).filter(status=Status.WAITING, depth__gte=0).order_by("pk")[:MOST])


def near_cap() -> list[Run]:
    """Runs that have not ended and whose journals are four fifths full, the newest first, with their `journal`."""
    signed = Run.objects.filter(signs__gt=0).order_by("-pk").values_list("pk", "signs", "finished_at")[:_LOOKED_AT]
    ids = [pk for pk, signs, ended in signed if signs & Sign.NEAR_CAP and ended is None]
    found = rows((*COLUMNS, "journal__next_seq", "journal__bytes"))
    return list(found.filter(pk__in=ids[:MOST]).order_by("-pk"))


def failed_nudges() -> list[Nudge]:
    """The newest; q2 keeps the failures alone."""
    failed = Task.objects.filter(func=nudges.TASK, success=False).order_by("-stopped")
    return [Nudge(task.stopped, _last_line(task.result)) for task in failed[:MOST]]


def _last_line(why: object) -> str:
    lines = str(why or "").strip().splitlines()
    return one_line(lines[-1], 300) if lines else ""
