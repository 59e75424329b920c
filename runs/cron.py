"""Cron lines: what is taken, and why a line is not.

A line that q2's scheduler cannot compute stops it for all schedules, so what is kept here has a next time.
"""

import re
from datetime import datetime

from croniter import croniter
from croniter.croniter import CroniterBadDateError
from django.utils import timezone

from runs.errors import BadInput

_MAX = 100  # characters, of q2's column
_ALIASES = ("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")
_FIELDS = "minute hour day month weekday, such as 30 6 * * mon-fri"


def check_cron(line: str) -> str:
    """The line with single spaces; raises `BadInput` for one that is no cron line, or whose time never comes."""
    text = " ".join(line.split())
    if len(text) > _MAX:
        raise BadInput(f"the cron line has {len(text)} characters, the most is {_MAX}")
    if problem := _unreadable(text):
        raise BadInput(f"{text!r} is no cron line: {problem}")
    try:
        croniter(text, timezone.localtime()).get_next(datetime)
    except CroniterBadDateError:
        raise BadInput(f"{text!r} never fires: there is no such day") from None
    except Exception as error:  # noqa: BLE001  (whatever it is, q2's scheduler would meet it too)
        problem = str(error).removeprefix(f"[{text}] ")
        told = f"it {problem}" if problem.startswith("is ") else problem
        raise BadInput(f"{text!r} is no cron line: {told}; write {_FIELDS}") from None
    return text


def _unreadable(text: str) -> str | None:
    if text.startswith("@"):
        return None if text in _ALIASES else f"there are {', '.join(_ALIASES)}"
    fields = text.split(" ")
    if len(fields) != 5:
        none_or = f"it has {len(fields)} fields" if text else "it is empty"
        return f"{none_or}; write five, {_FIELDS}"
    if not text.isascii() or re.search(r"(?i)\b[hr]\b", text):
        return f"a field has digits, names of months and weekdays, '*', ',', '-', '/', 'L' and '#'; write {_FIELDS}"
    return None
