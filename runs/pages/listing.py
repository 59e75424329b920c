"""One page of a list of runs: in a constant number of queries, without payloads, and never a full count.

Pages are told apart by the id they come before. What no index answers (text, script, ...) is looked for among the next
`WINDOW` runs; a page that has not found enough there says so and offers to look further.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, QuerySet

from runs.lifecycle import Status
from runs.models import Run
from runs.pages.filters import Filters

PAGE = 50
WINDOW = 10_000
COUNTED = 1_000  # a status with more runs shows "999+"
_DIRECT = 8  # as many characters of an id name few runs: they come before time alone

# Payloads can be megabytes each, and a list shows none of them.
COLUMNS = (
    "title", "status", "kind", "agent", "origin", "owner_id", "owner__username", "script_version_id",
    "script_version__number", "script_version__script__name", "parent_id", "root_id", "depth", "error_code", "wait",
    "wake_at", "attempt", "max_attempts", "queue", "held_back", "concurrency_key", "concurrency_limit",
    "cancel_requested_at", "lease_until", "created_at", "queued_at", "started_at", "finished_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """`newest`: the id after which runs are new to who looks. `older`: the id that the next page comes before; "" for
    the last. `searched_to`: when the run was created at which a search stopped that has not found a whole page."""

    rows: Sequence[Run]
    newest: str = ""
    older: str = ""
    searched_to: datetime | None = None


def columns(runs: QuerySet[Run]) -> QuerySet[Run]:
    """With what a row of a list shows, and no more."""
    return runs.select_related("owner", "script_version__script").only(*COLUMNS)


def page_of(runs: QuerySet[Run], filters: Filters, user_id: int | None) -> Page:
    """The newest runs that match, or those before the id that the filters name."""
    before, match = filters.cleaned_data["before"], filters.match()
    base = filters.narrow(runs, user_id).order_by("-pk")
    base = base.filter(pk__lt=before) if before else base
    if not match:
        found = list(columns(base)[: PAGE + 1])
        return Page(found[:PAGE], found[0].pk if found else "", found[PAGE - 1].pk if len(found) > PAGE else "")
    floor = _floor(base)
    window = base.filter(pk__gte=floor) if floor else base
    found = list(columns(window.filter(match))[: PAGE + 1])
    named = [] if before else named_by(runs, filters.cleaned_data["q"])
    rows = sorted({run.pk: run for run in [*found[:PAGE], *named]}.values(), key=lambda run: run.pk, reverse=True)
    newest = base.values_list("pk", flat=True).first() or ""
    if len(found) > PAGE:
        return Page(rows, newest, found[PAGE - 1].pk)
    return Page(rows, newest, floor, _time_of(floor) if floor else None)


def named_by(runs: QuerySet[Run], text: str) -> list[Run]:
    """The few runs, of any age and any depth, whose id begins so or whose idempotency key it is."""
    if not text:
        return []
    # Each by its own index; asked for together, or with the owner, a planner may prefer to read everything.
    ids = list(Run.objects.filter(idempotency_key=text).values_list("pk", flat=True))
    if len(text) >= _DIRECT and text.isascii() and text.isalnum():
        begins = Run.objects.filter(pk__gte=text.lower(), pk__lt=text.lower() + "~")
        ids += begins.order_by("-pk").values_list("pk", flat=True)[:PAGE]
    return list(columns(runs.filter(pk__in=ids))) if ids else []


def counts(runs: QuerySet[Run], filters: Filters, user_id: int | None) -> dict[str, int]:
    """How many runs of each status match the other filters, `COUNTED` or more being that many."""
    form = filters.without_status()
    base, match = form.narrow(runs, user_id).order_by("-pk"), form.match()
    if not match and not form.cleaned_data["children"]:
        return {s: base.filter(status=s).values("pk")[:COUNTED].count() for s in Status.values}
    floor = _floor(base)
    window = base.filter(pk__gte=floor) if floor else base
    return dict(window.filter(match).order_by().values_list("status").annotate(Count("pk")))


def count_newer(runs: QuerySet[Run], filters: Filters, user_id: int | None, than: str) -> int:
    """How many runs that match have come after that id; at most a page and one."""
    newer = filters.narrow(runs, user_id).filter(filters.match(), pk__gt=than)
    return newer.values("pk")[: PAGE + 1].count()


def refreshed(runs: QuerySet[Run], ids: Sequence[str]) -> list[Run]:
    """The rows of a page again, in the same order."""
    rows = columns(runs).in_bulk(ids[: 2 * PAGE])
    return [rows[pk] for pk in ids if pk in rows]


def _floor(base: QuerySet[Run]) -> str:
    """The id of the last run within the window; "" where all are."""
    return next(iter(base.values_list("pk", flat=True)[WINDOW : WINDOW + 1]), "")


def _time_of(pk: str) -> datetime:
    return Run.objects.values_list("created_at", flat=True).get(pk=pk)
