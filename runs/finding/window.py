"""The stretch of runs that one answer looks at: those that a leading index gives, down to a bound."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from runs.finding.asked import Asked
from runs.finding.conditions import leads, looked
from runs.ids import first_id
from runs.models import Run

WINDOW = 10_000


@dataclass(frozen=True, slots=True)
class Window:
    """`runs` match, newest first, among those of `led`. `floor` is the id of the oldest that was looked at; "" where
    those are all."""

    runs: QuerySet[Run]
    led: QuerySet[Run]
    floor: str = ""


def window(runs: QuerySet[Run], asked: Asked, *, before: str = "", after: str = "") -> Window:
    """Of the runs with ids between the two. One short query for each filter that may lead: the one whose runs reach
    back furthest does."""
    runs = _between(runs, asked, before, after).order_by("-pk")
    wanted = looked(asked)
    best: Window | None = None
    for lead, met in leads(asked):
        led = runs.filter(lead)
        rest = [condition for name, condition in wanted.items() if name not in met]
        if not rest:
            return Window(led, led)
        floor = next(iter(led.values_list("pk", flat=True)[WINDOW : WINDOW + 1]), "")
        found = Window(_matching(led, rest, floor), led, floor)
        if not floor:
            return found
        if best is None or floor < best.floor:
            best = found
    assert best is not None
    return best


def _between(runs: QuerySet[Run], asked: Asked, before: str, after: str) -> QuerySet[Run]:
    bounds = Q(pk__lt=before) if before else Q()
    bounds &= Q(pk__gt=after) if after else Q()
    bounds &= Q(pk__gte=first_id(asked.since)) if asked.since else Q()
    bounds &= Q(pk__lt=first_id(asked.until)) if asked.until else Q()
    return runs.filter(bounds)


def _matching(led: QuerySet[Run], rest: list[Q], floor: str) -> QuerySet[Run]:
    led = led.filter(pk__gte=floor) if floor else led
    return led.filter(*rest)
