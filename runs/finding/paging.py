"""Pages of runs: without payloads, told apart by the id that they come before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet

from runs.access import Person, Verb, may
from runs.finding.asked import Asked
from runs.finding.conditions import key_begins, looked
from runs.finding.window import window
from runs.ids import ID_LENGTH, is_id, span_of
from runs.models import Run

PAGE = 50
_DIRECT = 8  # as many characters of an id name few runs: they come before time alone

# Payloads can be megabytes each, and a list shows none of them.
COLUMNS = (
    "title", "status", "kind", "agent", "origin", "owner_id", "owner__username", "script_version_id",
    "script_version__number", "script_version__script__name", "parent_id", "root_id", "depth", "error_code",
    "failed_tool", "signs", "schedule", "wait", "waits_on", "wake_at", "attempt", "max_attempts", "queue", "held_back",
    "concurrency_key", "concurrency_limit", "cancel_requested_at", "lease_until", "created_at", "queued_at",
    "started_at", "finished_at", "successor",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """`older`: the id that the next page comes before; "" for the last. `newest`: the id after which runs are `newer`
    to who looks; of a first page. `searched_to`: the creation of the run at which the search stopped, though it has not
    found a whole page; None where it has looked at all."""

    rows: Sequence[Run]
    older: str = ""
    newest: str = ""
    searched_to: datetime | None = None


def rows(columns: Sequence[str] = COLUMNS, of: QuerySet[Run] | None = None) -> QuerySet[Run]:
    """All runs, or these, as rows of a list: with these columns, those of what they refer to, and no others."""
    related = {name.rpartition("__")[0] for name in columns if "__" in name}
    runs = (Run.objects.all() if of is None else of).only(*columns)
    return runs.select_related(*related) if related else runs


def find(user: Person, asked: Asked, *, before: str = "", size: int = PAGE, columns: Sequence[str] = COLUMNS) -> Page:
    """The newest runs that match and that the user may see, or those before an id; first of all those that the text
    names: by the beginning of the id, or of the idempotency key."""
    asked = seen_by(user, asked)
    runs = rows(columns)
    named = _named(asked, runs, size)
    looking = window(Run.objects.all(), asked, before=before)
    others = looking.runs.exclude(pk__in=[run.pk for run in named]) if named else looking.runs
    # The ids first: what has to be put in order is then narrow, and mostly the index alone.
    pks = list(others.values_list("pk", flat=True)[: size + 1])
    read = runs.in_bulk(pks[:size])
    found = [read[pk] for pk in pks[:size] if pk in read]  # one may have been pruned in between
    shown = found if before else [*named, *found]
    newest = "" if before else looking.led.values_list("pk", flat=True).first() or ""
    if len(pks) > size:
        return Page(shown, pks[size - 1], newest)
    return Page(shown, looking.floor, newest, _created(looking.floor) if looking.floor else None)


def ids(user: Person, asked: Asked, *, before: str = "", size: int = 500) -> tuple[list[str], str]:
    """A batch of the ids of all runs that match, and where the next one goes on, "" for the last; for what is done to
    a whole selection. A batch may be empty and not the last."""
    page = find(user, asked, before=before, size=size, columns=("pk",))
    return [run.pk for run in page.rows], page.older


def again(user: Person, pks: Sequence[str], *, columns: Sequence[str] = COLUMNS) -> list[Run]:
    """The rows of a page as they are now, in the same order; at most two pages. What is no id names none."""
    asked = seen_by(user, Asked())
    runs = rows(columns)
    if asked.owner is not None:
        runs = runs.filter(owner_id=asked.owner)
    found = runs.in_bulk([pk for pk in pks if is_id(pk)][: 2 * PAGE])
    return [found[pk] for pk in pks if pk in found]


def seen_by(user: Person, asked: Asked) -> Asked:
    """The same, of the user's own runs where others are not theirs to see."""
    if may(user, Verb.VIEW):
        return asked
    return replace(asked, owner=(user.pk or 0) if user.is_active and asked.owner in (None, user.pk) else 0)


def _named(asked: Asked, runs: QuerySet[Run], size: int) -> list[Run]:
    """The few of any age and at any depth that are meant by name."""
    text = asked.text
    if not text:
        return []
    runs = runs.filter(*looked(replace(asked, text="", roots=False)).values())
    found = list(runs.filter(key_begins(text))[:size])
    if _DIRECT <= len(text) <= ID_LENGTH and text.isascii() and text.isalnum():
        found += list(runs.filter(pk__range=span_of(text.lower())).order_by("-pk")[:size])
    return sorted({run.pk: run for run in found}.values(), key=lambda run: run.pk, reverse=True)[:size]


def _created(pk: str) -> datetime:
    return Run.objects.values_list("created_at", flat=True).get(pk=pk)
