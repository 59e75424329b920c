"""A schedule as a line for the terminal."""

from datetime import datetime

from django.utils import timezone

from runs.schedules import Planned
from runs.words import moment


def line(planned: Planned, now: datetime | None = None) -> str:
    """ "nightly: report@3 by 30 6 * * *; next 2030-01-01 06:30 UTC, then ..."."""
    now = now or timezone.now()
    when = f"by {planned.cron}" if planned.cron else f"every {planned.minutes} min"
    first, *more = planned.firings
    coming = "due since" if first < now else "next"
    return f"{planned.name}: {planned.script} {when}; {coming} {moment(first, now)}, then " + ", ".join(
        moment(at, now) for at in more
    )
