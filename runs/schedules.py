"""Schedules: a named script started by a cron line or every so many minutes, by django-q2's own `Schedule`.

q2's clusters look twice a minute for what is due and enqueue `runs.tasks.fire_schedule` with the planned time. That and
the schedule's name are the idempotency key of the run, so a firing starts at most one run, however many clusters look
and however often the message is delivered. Between a look and its firing up to half a minute passes.

Catching up: firings that came due while no cluster was running are made good by one, which carries the planned time of
the first that was missed; the next one is the first after now (q2's `catch_up: False`). Cron lines are read in Django's
`TIME_ZONE`, which is UTC.
"""

import ast
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from croniter import croniter
from django.db import transaction
from django.utils import timezone
from django_q.models import Schedule

from runs import library
from runs.cron import check_cron
from runs.errors import BadInput, Refused
from runs.locking import Alone, alone
from runs.models import Run
from runs.starting import Started, check_input, check_queue, check_title

TASK = "runs.tasks.fire_schedule"
MINUTES_MAX = 32_767  # what q2's column holds, 22 days; a cron line can say longer ones
_SHOWN = 3  # next firings
Also = Callable[[Schedule, str], None] | None  # q2's row, and what is done: added, changed, removed
logger = logging.getLogger("runs")


class UnknownSchedule(Refused):
    code = "unknown-schedule"


@dataclass(frozen=True, slots=True)
class Planned:
    """A schedule as it stands: either `cron` or `minutes`; `firings` are the next ones, the first may be overdue."""

    name: str
    script: str
    cron: str | None
    minutes: int | None
    input: Any
    queue: str
    title: str
    firings: list[datetime]

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "script": self.script,
            "cron": self.cron,
            "minutes": self.minutes,
            "input": self.input,
            "queue": self.queue,
            "title": self.title,
            "firings": [at.isoformat() for at in self.firings],
        }


def schedule(
    name: str,
    script: str,
    *,
    cron: str | None = None,
    minutes: int | None = None,
    input: Any = None,
    queue: str = Run.Queue.BACKGROUND,
    title: str = "",
    also: Also = None,
) -> Planned:
    """Start `script` (`name` is the newest version at each firing, `name@3` that one) by `cron` or every `minutes`.

    A schedule of that name is replaced; as long as its times stay the same, so does its next firing. `also` is called
    in the transaction that writes it. Raises `BadInput` and `library.UnknownScript`.
    """
    check_name(name)
    library.find(script)
    kwargs = {
        "name": name,
        "script": script,
        "input": json.dumps(check_input(input)),  # ASCII: a text column holds no NUL
        "queue": check_queue(queue),
        "title": check_title(title),
    }
    times = _times(cron, minutes)
    with transaction.atomic():
        alone(Alone.SCHEDULES)  # q2 does not hold names to be unique
        row = _row(name) or Schedule(name=name, func=TASK, repeats=-1, intended_date_kwarg="planned", next_run=None)
        if row.next_run is None or any(getattr(row, field) != value for field, value in times.items()):
            for field, value in times.items():
                setattr(row, field, value)
            row.next_run = row.calculate_next_run(timezone.now())
        row.kwargs = repr(kwargs)
        new = row.pk is None
        row.save()
        if also is not None:
            also(row, "added" if new else "changed")
    return _planned(row)


def unschedule(name: str, *, also: Also = None) -> Planned:
    """Remove a schedule; runs that it has started go on. `also` is called in the transaction that deletes it.
    Raises `UnknownSchedule`."""
    with transaction.atomic():
        alone(Alone.SCHEDULES)  # q2 does not hold names to be unique
        row = _row(name)
        if row is None:
            raise _unknown(name)
        planned = _planned(row)
        if also is not None:
            also(row, "removed")
        row.delete()
    return planned


def find(name: str) -> Planned:
    """Raises `UnknownSchedule`."""
    if (row := Schedule.objects.filter(func=TASK, name=name).first()) is None:
        raise _unknown(name)
    return _planned(row)


def all_schedules() -> list[Planned]:
    """By name, each with its next firings."""
    return [_planned(row) for row in Schedule.objects.filter(func=TASK).order_by("name", "pk")]


def fire(*, name: str, script: str, input: str, queue: str, title: str, planned: str) -> Started:
    """Start the run of one firing, at most once; `planned` is ISO 8601, `input` JSON text.

    What refuses it then (a script that is gone, or no longer passes the lint) is logged, and raised for q2 to keep.
    """
    at = datetime.fromisoformat(planned).astimezone(UTC)
    try:
        return library.start_script(
            script,
            input=json.loads(input),
            queue=queue,
            title=title or f"{name}, {at:%Y-%m-%d %H:%M}",
            key=f"schedule {name} {at.isoformat()}",
            origin="schedule",
            schedule=name,
        )
    except Refused as refused:
        logger.error("the firing of schedule %s at %s started nothing: %s", name, at.isoformat(), refused)  # noqa: TRY400  (a sentence says it)
        raise


def check_name(name: str) -> None:
    if not library.is_name(name):
        raise BadInput(f"{name!r} is no name of a schedule: {library.NAMING}")


def _times(cron: str | None, minutes: int | None) -> dict[str, Any]:
    """The fields of q2's row that say when."""
    if (cron is None) == (minutes is None):
        raise BadInput("a schedule has either a cron line or a number of minutes")
    if cron is not None:
        return {"schedule_type": Schedule.CRON, "cron": check_cron(cron), "minutes": None}
    if not isinstance(minutes, int) or isinstance(minutes, bool) or not 1 <= minutes <= MINUTES_MAX:
        raise BadInput(f"the minutes are a whole number from 1 to {MINUTES_MAX}, not {minutes!r}")
    return {"schedule_type": Schedule.MINUTES, "cron": None, "minutes": minutes}


def _row(name: str) -> Any:
    return Schedule.objects.select_for_update().filter(func=TASK, name=name).first()


def _unknown(name: str) -> UnknownSchedule:
    return UnknownSchedule(f"there is no schedule {name!r}; manage.py showschedules lists them")


def _planned(row: Any) -> Planned:
    kwargs = ast.literal_eval(row.kwargs)
    return Planned(
        name=row.name,
        script=kwargs["script"],
        cron=row.cron,
        minutes=row.minutes,
        input=json.loads(kwargs["input"]),
        queue=kwargs["queue"],
        title=kwargs["title"],
        firings=_firings(row),
    )


def _firings(row: Any) -> list[datetime]:
    """The next ones, as q2 will plan them: after an overdue one the first after now."""
    first, now = row.next_run.astimezone(UTC), timezone.now()
    if row.schedule_type == Schedule.CRON:
        after = croniter(row.cron, timezone.localtime(max(first, now)))
        return [first, *(after.get_next(datetime).astimezone(UTC) for _ in range(_SHOWN - 1))]
    step = timedelta(minutes=row.minutes)
    missed = max(0, (now - first) // step)
    return [first, *(first + step * (missed + n) for n in range(1, _SHOWN))]
