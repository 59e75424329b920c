"""What is new in a run tree since it was read last, as frames for whoever watches it. Reads the database, and knows
nothing of sockets."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

from django.db import connection
from django.utils import timezone

from journal.models import RunJournal
from runs.models import Run
from runs.reading.rows import entry_row
from runs.watching.facts import facts, load
from runs.watching.protocol import append_frame, encoded, frame, key_of

ENTRIES_MAX = 500  # of one frame, and read at once
FRAME_BYTES = 256 * 1024  # a frame of entries is not much larger
_LATE = timedelta(seconds=2)
# One light row per run; a run whose lease or wake time is over stands differently although nobody has written it.
_ROWS = """
SELECT r.id, r.status, r.updated_at,
       CASE WHEN r.lease_until < %s OR r.wake_at < %s THEN 1 ELSE 0 END, j.next_seq
FROM runs_run r JOIN journal j ON j.run_id = r.journal_id WHERE r.root_id = %s ORDER BY r.depth, r.id
"""
_VERSIONS = count(1)
Entry = tuple[int, str]  # seq, and the entry as JSON


@dataclass(frozen=True, slots=True)
class Change:
    """A `change`, or an `appendPartial` where only the progress has changed; `version` grows with each."""

    run_id: str
    version: int
    text: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Append:
    """The entries `first` to `last` of a run."""

    run_id: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class News:
    """`frames` in order, a run's change before its entries. `standing`: for newcomers, the whole change of each run
    that has changed. `heads`: the seq of the newest entry by run. `more`: there is more to read at once. `deleted`: the
    frame that says so, once the tree is gone, and then there is nothing else."""

    frames: list[Change | Append] = field(default_factory=list)
    standing: list[Change] = field(default_factory=list)
    heads: dict[str, int] = field(default_factory=dict)
    more: bool = False
    deleted: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    apart: str = ""  # the facts without the progress
    progress: str = ""


class Tree:
    """`read` gives what is new; the first one the changes of all runs and no entries, whose number it notes. One thread
    at a time. One that has raised has lost count: begin another."""

    def __init__(self, root_id: str) -> None:
        self.root_id = root_id
        self._key = key_of(root_id)
        self._stamps: dict[str, tuple[Any, ...]] = {}
        self._told: dict[str, _Told] = {}
        self._heads: dict[str, int] = {}
        self._begun = False

    def read(self) -> News:
        rows = {run_id: (stamp, next_seq) for run_id, *stamp, next_seq in self._rows()}
        if self.root_id not in rows:  # runs are deleted by whole trees
            return News(deleted=frame("deleted", key=self._key, runId=self.root_id))
        news = News()
        changed = [run_id for run_id, (stamp, _) in rows.items() if self._stamps.get(run_id) != tuple(stamp)]
        for run, kept in load(changed) if changed else ():
            self._tell(run, kept, news)
        self._stamps |= {run_id: tuple(rows[run_id][0]) for run_id in changed}
        lasts = {run_id: next_seq - 1 for run_id, (_, next_seq) in rows.items()}
        if not self._begun:
            self._begun, self._heads = True, lasts
            return News(news.frames, news.standing, dict(lasts))
        return News(news.frames, news.standing, *self._entries(lasts, news.frames))

    def _rows(self) -> list[tuple[Any, ...]]:
        late = connection.ops.adapt_datetimefield_value(timezone.now() - _LATE)
        with connection.cursor() as cursor:
            cursor.execute(_ROWS, [late, late, self.root_id])
            return list(cursor.fetchall())

    def _tell(self, run: Run, kept: int, news: News) -> None:
        told = facts(run, kept)
        before = self._told.get(run.pk, _Told())
        apart = encoded({name: value for name, value in told.items() if name not in ("progress", "nextSeq")})
        now = _Told(apart, encoded(told["progress"]))
        if now == before:
            return
        self._told[run.pk] = now
        version = next(_VERSIONS)
        whole = Change(run.pk, version, frame("change", key=self._key, run=told), run.attempt)
        news.standing.append(whole)
        if now.apart != before.apart:
            news.frames.append(whole)
            return
        text = frame("appendPartial", key=self._key, runId=run.pk, progress=told["progress"])
        news.frames.append(Change(run.pk, version, text, run.attempt))

    def _entries(self, lasts: dict[str, int], frames: list[Change | Append]) -> tuple[dict[str, int], bool]:
        heads: dict[str, int] = {}
        budget = ENTRIES_MAX
        for run_id, last in lasts.items():
            if run_id not in self._heads:
                heads[run_id] = self._heads[run_id] = 0
            head = self._heads[run_id]
            if last <= head or budget <= 0:
                continue
            entries = read_entries(run_id, head, last, budget)
            budget -= len(entries)
            for part in parts(entries):
                text = append_frame(self._key, run_id, [text for _, text in part])
                frames.append(Append(run_id, part[0][0], part[-1][0], text))
            heads[run_id] = self._heads[run_id] = entries[-1][0] if entries else last
        return heads, budget <= 0


def read_entries(run_id: str, after: int, upto: int, most: int = ENTRIES_MAX) -> list[Entry]:
    """Entries of a journal in order, those with after < seq <= upto, at most `most` of them."""
    rows = RunJournal.objects.filter(run_id=run_id, seq__gt=after, seq__lte=upto).order_by("seq")[:most]
    return [(row.seq, encoded(entry_row(row))) for row in rows]


def parts(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in groups that make frames of a bounded size."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        part.append(entry)
        size += len(entry[1])
        if size >= FRAME_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
