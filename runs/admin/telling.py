"""The facts of `runs.vitals` in words: how each of them stands, and what to do where it is bad."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from runs import vitals
from runs.conf import conf
from runs.models import Run
from runs.vitals.queue import Queued
from runs.words import Phrase, span, status_phrase

GOOD, BAD, PLAIN, UNKNOWN = "good", "bad", "plain", "unknown"
QUEUED_LONG = 60  # seconds that a run waits for a worker before that is called bad
LATE = 10  # seconds that a timer is late before that is
MANY_NUDGES = 1_000
LARGE_LOG = 256 * 1024 * 1024
_SHOWN_RUNS = 5  # of one worker
logger = logging.getLogger("runs")


@dataclass(frozen=True, slots=True)
class Row:
    """One line below a section, of words and moments, and of the runs that it is about."""

    words: Phrase
    runs: list[Run] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Section:
    """`state` is good, bad, plain (neither) or unknown: it could not be read. `todo` says what to do, where it is bad
    or unknown."""

    title: str
    state: str
    said: str
    todo: str = ""
    rows: list[Row] = field(default_factory=list)


def sections() -> list[Section]:
    """All of them, whatever fails: one that could not be read says so."""
    return [_read(title, tell) for title, tell in _SECTIONS.items()]


def _read(title: str, tell: Callable[[], tuple[str, str, str, list[Row]]]) -> Section:
    try:
        return Section(title, *tell())
    except Exception as error:
        logger.warning("platform page: %s could not be read", title, exc_info=True)
        why = " ".join(str(error).split())[:300]
        todo = "Nothing is known of it until it can be read: see that the database, and Redis where it is used, answer."
        return Section(title, UNKNOWN, f"This could not be read: {type(error).__name__}: {why}", todo)


Told = tuple[str, str, str, list[Row]]


def _clock() -> Told:
    clocks = vitals.clocks()
    rows = [Row([f"{clock.name}{'' if clock.running else ', silent'}, last seen ", clock.seen]) for clock in clocks]
    if running := sum(clock.running for clock in clocks):
        return GOOD, f"{_number(running, 'clock')} {'looks' if running == 1 else 'look'} for what is due.", "", rows
    said = "No clock runs: sleeping runs are not woken, and runs of a worker that is lost are not queued again."
    return BAD, said, "Start one with manage.py runclock. Nothing is lost meanwhile; what is due is late.", rows


def _clusters() -> Told:
    clusters = vitals.clusters()
    rows = [
        Row([f"{one.host}, process {one.pid}: {one.state.lower()}, {_number(len(one.processes), 'worker')}, since ",
             one.started])
        for one in clusters
    ]  # fmt: skip
    listening = [one for one in clusters if one.state in ("Idle", "Working", "Starting")]
    if listening:
        workers = sum(len(one.processes) for one in listening)
        said = f"{_number(len(listening), 'cluster')} with {_number(workers, 'worker process', 'worker processes')}."
        return GOOD, said, "", rows
    said = "No django-q2 cluster has told of itself: queued runs stay queued, and schedules do not fire."
    return BAD, said, "Start one with manage.py qcluster; a stopping one finishes what it holds first.", rows


def _workers() -> Told:
    workers = vitals.workers()
    silent = [one for one in workers if one.silent]
    of = Run.objects.only("title").in_bulk([pk for one in workers for pk in one.runs[:_SHOWN_RUNS]])
    rows = [
        Row(
            [f"{one.name} holds {_number(one.held, 'run')}{', silent' if one.silent else ''}, heard ", one.renewed],
            [of[pk] for pk in one.runs[:_SHOWN_RUNS] if pk in of],
        )
        for one in workers
    ]
    held = sum(one.held for one in workers)
    said = f"{_number(len(workers), 'worker')} {'holds' if len(workers) == 1 else 'hold'} {_number(held, 'run')}."
    if silent:
        todo = (
            "The clock queues those runs again, and another worker goes on from their journals. Look for the process in"
            " the log of its host: killed, out of memory, or cut off from the database."
        )
        return BAD, f"{said} {_number(len(silent), 'worker')} let a lease end without renewing it.", todo, rows
    return PLAIN, said if workers else "No worker holds a run at the moment.", "", rows


def _queues() -> Told:
    queues = vitals.queues()
    late = [one for one in queues if one.age_seconds > QUEUED_LONG]
    rows = [Row(_queued(one)) for one in queues]
    if late:
        names = " and ".join(one.queue for one in late)
        todo = (
            "Start more workers (manage.py qcluster on this or another host, DAYBOOK_WORKERS, DAYBOOK_SLOTS). With"
            " workers that are idle, see that the clock runs: it nudges for what nobody has claimed."
        )
        return BAD, f"Runs of the queue {names} wait longer than {span(QUEUED_LONG)} for a worker.", todo, rows
    return GOOD, f"No run waits longer than {span(QUEUED_LONG)} for a worker.", "", rows


def _queued(one: Queued) -> Phrase:
    words: Phrase = [f"{one.queue}: {one.ready} ready"]
    if one.oldest:
        words += [", the oldest since ", one.oldest]
    if one.held_back.number:
        words += [f"; {one.held_back} held back for a place of their concurrency key"]
    return words


def _timers() -> Told:
    late = vitals.lateness()
    if not late.overdue.number:
        return GOOD, "No timer is late.", "", []
    are = "run is" if str(late.overdue) == "1" else "runs are"
    said = f"{late.overdue} {are} due, the first for {span(late.seconds)}."
    if late.seconds <= LATE + conf().clock_seconds:
        return GOOD, said, "", []
    todo = "See that a clock runs and that the database answers in time; a clock that has fallen behind catches up."
    return BAD, said, todo, []


def _nudges() -> Told:
    pending, failed = vitals.pending_nudges(), vitals.failed_nudges()
    rows = [Row([one.at, f": {one.why}"]) for one in failed]
    said = f"{_number(pending, 'message waits', 'messages wait')} for a worker"
    if failed and failed[0].at > timezone.now() - timedelta(days=1):
        todo = (
            "No run is lost by it: its row is the truth, and the clock nudges again. Mend what the last line says, then"
            " delete them among the failed tasks of django-q2."
        )
        return BAD, f"{said}; nudges have failed within the last day, the newest below.", todo, rows
    if pending > MANY_NUDGES:
        return BAD, f"{said}.", "Nobody comes for them: start workers with manage.py qcluster.", rows
    return GOOD, f"{said}; {'none has failed' if not failed else 'none has failed within the last day'}.", "", rows


def _database() -> Told:
    size = vitals.size()
    parts = [f"{'SQLite' if size.vendor == 'sqlite' else 'PostgreSQL'}, {_bytes(size.total)}"]
    parts += [f"write-ahead log {_bytes(size.log)}"] if size.log else []
    parts += [f"{_bytes(size.free)} of it free for what comes"] if size.free else []
    if size.log > LARGE_LOG:
        todo = "A reader keeps the log from being written back: look for a process that holds a transaction open."
        return BAD, f"{'; '.join(parts)}.", todo, []
    return PLAIN, f"{'; '.join(parts)}.", "", []


def _oldest() -> Told:
    oldest = vitals.oldest_waiting()
    if not oldest:
        return PLAIN, "No run is parked.", "", []
    rows = [Row(["made ", run.created_at, ": ", *status_phrase(run)], [run]) for run in oldest]
    return (
        PLAIN,
        "The parked runs that were made first. Nothing is wrong with a long wait that somebody meant.",
        "",
        rows,
    )


def _near_cap() -> Told:
    near = vitals.near_cap()
    if not near:
        return GOOD, "No run that goes on has a journal that is nearly full.", "", []
    limits = conf()
    size = _bytes(limits.journal_max_bytes)
    rows = [
        Row(
            [
                f"{run.journal.next_seq - 1:,} of {limits.journal_max_entries:,} entries",
                f", {_bytes(run.journal.bytes)} of {size}",
            ],
            [run],
        )
        for run in near
    ]
    todo = "Have the script go on in a successor with ctx.continueAsNew; at the cap a run fails with journal-cap."
    return (
        BAD,
        f"{_number(len(near), 'run')} {'has' if len(near) == 1 else 'have'} used four fifths of a journal.",
        todo,
        rows,
    )


_SECTIONS: dict[str, Callable[[], Told]] = {
    "Clock": _clock,
    "Clusters of django-q2": _clusters,
    "Workers": _workers,
    "Queues": _queues,
    "Timers": _timers,
    "Nudges": _nudges,
    "Database": _database,
    "Journals nearly full": _near_cap,
    "Oldest waiting": _oldest,
}


def _number(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def _bytes(size: int) -> str:
    return filesizeformat(size).replace("\xa0", " ")
