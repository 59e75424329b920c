"""Making runs in batches, each one transaction and told apart by a key: one that is there is not made again."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from runs import library
from runs.finding import key_begins
from runs.models import Run, Source
from runs.seeding.rows import Cast, Maker, Rows
from runs.seeding.stories import Story, source_of, stories
from runs.seeding.writing import roomy, write

BATCH = 5_000
_MONTHS = timedelta(days=90)
_KEY = "seedruns "
_LIBRARY = ("invoice", "approval", "report", "batch")
_OWNERS = 20


@dataclass(frozen=True, slots=True)
class Plan:
    """`batches`: (number, runs) of those that are not there yet; `there`: runs of those that are."""

    runs: int
    there: int
    batches: list[tuple[int, int]]

    @property
    def missing(self) -> int:
        return sum(size for _, size in self.batches)


@dataclass(frozen=True, slots=True)
class Made:
    runs: int
    entries: int


def plan(runs: int) -> Plan:
    """What making up to `runs` runs takes, given what an earlier go has made."""
    wanted = {
        _key(at // BATCH, size): (at // BATCH, size) for at in range(0, runs, BATCH) for size in [min(BATCH, runs - at)]
    }
    there = set(Run.objects.filter(key_begins(_KEY)).values_list("idempotency_key", flat=True))
    batches = [batch for key, batch in wanted.items() if key not in there]
    return Plan(runs, runs - sum(size for _, size in batches), batches)


def seed(planned: Plan, *, with_entries: bool = False, told: Callable[[int], None] = lambda _: None) -> Made:
    """Make what is missing. `told` is given the number of runs of each batch once it is on disk."""
    lived = stories()
    cast = _cast({story.source for _, story in lived} | {c.source for _, s in lived for c in s.children.values()})
    made = entries = 0
    span = _Span(timezone.now(), planned.runs)
    with roomy():
        for number, size in planned.batches:
            rng = random.Random(number)  # noqa: S311  (test data)
            rows = _batch(Maker(cast, rng, with_entries=with_entries), rng, lived, number, size, span)
            with transaction.atomic():
                write(rows)
            made, entries = made + len(rows.runs), entries + len(rows.entries)
            told(size)
    return Made(made, entries)


@dataclass(frozen=True, slots=True)
class _Span:
    """`runs` moments, evenly over the three months before `now`."""

    now: datetime
    runs: int

    def moment(self, at: int) -> datetime:
        return self.now - _MONTHS + _MONTHS * (at / self.runs)


def _batch(
    maker: Maker, rng: random.Random, lived: list[tuple[int, Story]], number: int, size: int, span: _Span
) -> Rows:
    rows, done = Rows(), 0
    told = [story for _, story in lived]
    weights = list(accumulate(weight for weight, _ in lived))
    while done < size:
        [story] = rng.choices(told, cum_weights=weights)
        if done + 1 + len(story.children) <= size:
            key = None if done else _key(number, size)
            done += maker.add(rows, story, span.moment(number * BATCH + done), key)
    return rows


def _key(number: int, size: int) -> str:
    return f"{_KEY}{number}/{size}"


def _cast(sources: set[str]) -> Cast:
    for name in _LIBRARY:
        library.save(f"seed-{name}", source_of(name))
    owners = get_user_model().objects.order_by("pk").values_list("pk", flat=True)[:_OWNERS]
    return Cast(
        versions={name: library.find(f"seed-{name}") for name in _LIBRARY},
        sources={text: Source.keep(text) for text in sources},
        owners=list(owners),
    )
