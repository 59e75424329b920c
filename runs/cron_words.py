"""A cron line as a person says it; where that would be longer than the line, the line itself."""

from runs.words import span

_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * sun",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MOST_TIMES = 4


def when_words(cron: str | None, minutes: int | None) -> str:
    """When a schedule fires: "every 1 h 30 min", "at 06:30 on Monday to Friday". Times are those of Django's
    `TIME_ZONE`."""
    if cron is None:
        return f"every {span((minutes or 0) * 60)}"
    minute, hour, day, month, weekday = _ALIASES.get(cron, cron).split(" ")
    time, days = _time(minute, hour), _days(day, weekday)
    if month != "*" or time is None or days is None:
        return f"by the cron line {cron}"
    return (
        f"{time} {days or 'every day'}" if time.startswith("at ") and "hour" not in time else f"{time} {days}".strip()
    )


def _time(minute: str, hour: str) -> str | None:
    if minute == "*" and hour == "*":
        return "every minute"
    if hour == "*" and (step := _step(minute, 60)):
        return f"every {step} minutes"
    if (at := _numbers(minute)) is None or len(at) > 1:
        return None
    past = "on the hour" if at == [0] else f"at {at[0]} min past the hour"
    if hour == "*":
        return f"every hour, {past}"
    if step := _step(hour, 24):
        return f"every {step} hours, {past}"
    hours = _numbers(hour)
    if hours is None or len(hours) > _MOST_TIMES:
        return None
    return "at " + _listed([f"{each:02}:{at[0]:02}" for each in hours])


def _days(day: str, weekday: str) -> str | None:
    """ "" for every day; None where it takes too many words."""
    if day == "*":
        return "" if weekday == "*" else _weekdays(weekday)
    numbers = _numbers(day)
    if weekday != "*" or numbers is None or len(numbers) > _MOST_TIMES:
        return None
    return f"on day {_listed([str(number) for number in numbers])} of the month"


def _weekdays(field: str) -> str | None:
    parts = []
    for part in field.lower().split(","):
        names = [_weekday(name) for name in part.split("-")]
        if len(names) > 2 or None in names:
            return None
        parts.append(" to ".join(name for name in names if name))
    return f"on {_listed(parts)}"


def _weekday(name: str) -> str | None:
    if name in _DAYS:
        return _DAY_NAMES[_DAYS.index(name)]
    return _DAY_NAMES[int(name) % 7] if name.isdigit() and int(name) <= 7 else None


def _step(field: str, of: int) -> int | None:
    """n of "*/n" where the steps are even ones."""
    star, _, number = field.partition("/")
    step = int(number) if star == "*" and number.isdigit() else 0
    return step if 1 < step < of and of % step == 0 else None


def _numbers(field: str) -> list[int] | None:
    parts = field.split(",")
    return [int(part) for part in parts] if all(part.isdigit() for part in parts) else None


def _listed(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last
