"""`manage.py runstats`: how many runs, of what, how long and how large; what waits."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from runs import vitals
from runs.activity import one_line
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.reading import whole_number
from runs.vitals.stats import Stats, counts, percentile, stats
from runs.words import span, status_words

_SHOWN = 10
_ALL = 1_000  # scripts and codes of the one JSON object


class Command(RunCommand):
    help = (
        "Tells how many runs there are by status, and of those of the last days: by script and error code, how long "
        "they took and how large their journals are; then what waits, what is queued, and the size of the database. "
        "Takes seconds however many runs there are, and says so where it has not looked at all."
    )
    exits = f"Exit codes: 0 told; 2 bad usage{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--days", type=whole_number, default=7, metavar="N", help="of the last N days; 7")

    def act(self, options: dict[str, Any]) -> int:
        found = stats(options["days"])
        if self.json:
            self.answer(_facts(found))
        else:
            self.tell(*_lines(found, options["days"]))
        return DONE


def _facts(found: Stats) -> dict[str, Any]:
    size, late = vitals.size(), vitals.lateness()
    scripts = sorted(found.scripts.items(), key=lambda item: -item[1].runs)[:_ALL]
    return {
        "counts": {status: {"number": count.number, "more": count.more} for status, count in counts().items()},
        "since": found.since.isoformat(),
        "complete": found.complete,
        "reached": None if found.complete or found.reached is None else found.reached.isoformat(),
        "runs": found.runs,
        "statuses": dict(found.statuses),
        "scripts": {name: {"runs": of.runs, "failed": of.failed, **_durations(of.seconds)} for name, of in scripts},
        "errors": dict(found.errors.most_common(_ALL)),
        **_durations(found.seconds),
        "entries": found.entries,
        "bytes": found.bytes,
        "largest": None if found.largest is None else {"run": found.largest[0], "bytes": found.largest[1]},
        "database": {"vendor": size.vendor, "bytes": size.total, "log": size.log, "free": size.free},
        "oldestWaiting": [{"id": run.pk, "createdAt": run.created_at.isoformat()} for run in vitals.oldest_waiting()],
        "queues": {
            queue.queue: {
                "ready": queue.ready.number,
                "heldBack": queue.held_back.number,
                "ageSeconds": queue.age_seconds,
            }
            for queue in vitals.queues()
        },
        "overdue": {"runs": late.overdue.number, "seconds": late.seconds},
    }


def _durations(seconds: list[float]) -> dict[str, float | None]:
    return {"medianSeconds": percentile(seconds, 0.5), "p95Seconds": percentile(seconds, 0.95)}


def _lines(found: Stats, days: int) -> Iterator[str]:
    yield "Runs: " + ", ".join(f"{count} {status}" for status, count in counts().items())
    yield ""
    far = "" if found.complete or found.reached is None else f", only those since {found.reached:%Y-%m-%d %H:%M} UTC"
    yield f"Of the last {days} days: {found.runs:,} runs{far}, {_took(found.seconds)}"
    for name, of in islice(sorted(found.scripts.items(), key=lambda item: -item[1].runs), _SHOWN):
        yield f"  {one_line(name, 60)}: {of.runs:,}, {of.failed:,} failed, {_took(of.seconds)}"
    if found.errors:
        yield "Errors: " + ", ".join(f"{number:,} {code}" for code, number in found.errors.most_common(_SHOWN))
    if found.largest is not None:
        largest = f"the largest is {found.largest[0]} with {found.largest[1]:,} bytes"
        yield f"Their journals: {found.entries:,} entries, {found.bytes:,} bytes; {largest}"
    yield from _now()


def _now() -> Iterator[str]:
    size, late = vitals.size(), vitals.lateness()
    yield f"Database: {size.vendor}, {size.total:,} bytes"
    for queue in vitals.queues():
        age = f", the oldest since {span(queue.age_seconds)}" if queue.oldest else ""
        yield f"Queue {queue.queue}: {queue.ready} ready{age}; {queue.held_back} held back"
    yield f"Overdue: {late.overdue}" + (f", the first by {span(late.seconds)}" if late.seconds else "")
    for run in vitals.oldest_waiting()[:5]:
        since = span((timezone.now() - run.created_at).total_seconds())
        yield f"Waits since {since}: {run.pk} {one_line(run.title, 60)} ({status_words(run)})"


def _took(seconds: list[float]) -> str:
    median, p95 = percentile(seconds, 0.5), percentile(seconds, 0.95)
    return "none has ended" if median is None or p95 is None else f"took {span(median)} (median), {span(p95)} (p95)"
