"""How many runs there are of each status, as far as anybody counts."""

from collections import Counter
from dataclasses import dataclass, replace

from runs.access import Person
from runs.finding.asked import Asked
from runs.finding.conditions import looked
from runs.finding.paging import PAGE, seen_by
from runs.finding.window import window
from runs.lifecycle import Status
from runs.models import Run

COUNTED = 10_000


@dataclass(frozen=True, slots=True)
class Count:
    """`more`: there are that many at least."""

    number: int
    more: bool = False

    def __str__(self) -> str:
        return f"{self.number:,}{'+' if self.more else ''}"


def counts(user: Person, asked: Asked) -> dict[str, Count]:
    """By status, those that match all else. A number ends with + where the counting stopped."""
    asked = replace(seen_by(user, asked), status="")
    if looked(asked).keys() <= {"owner", "roots"}:
        return {status: _of_status(replace(asked, status=status)) for status in Status.values}
    looking = window(Run.objects.all(), asked)
    # Counted here: to group by status a planner may walk all runs in the order of that, for the few of the window.
    told = list(looking.runs.values_list("status", flat=True)[: COUNTED + 1])
    found, more = Counter(told[:COUNTED]), bool(looking.floor) or len(told) > COUNTED
    return {status: Count(found[status], more) for status in Status.values}


def newer(user: Person, asked: Asked, than: str) -> int:
    """How many of those that match have come after that id; at most a page and one."""
    looking = window(Run.objects.all(), seen_by(user, asked), after=than)
    return looking.runs.values("pk")[: PAGE + 1].count()


def _of_status(asked: Asked) -> Count:
    looking = window(Run.objects.all(), asked)
    number = looking.runs.values("pk")[: COUNTED + 1].count()
    return Count(min(number, COUNTED), number > COUNTED or bool(looking.floor))
