"""Whether journals are whole: what the counters of each say against its rows, and what its rows say. Read-only.

A batch of runs is looked at in one moment of the database, so that a worker that writes meanwhile is no finding. What
the database can add up it adds up; entries are then read one by one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import Count, Max, Min, Sum
from django.db.models.functions import Length

from journal import codec
from journal.entries import SCRIPT_KEY, Kind
from journal.models import Journal, RunJournal
from runs.conf import conf
from runs.models import Run, Source
from runs.reading.moment import one_look
from runs.times import to_ms

BATCH = 200  # runs,
BATCH_BYTES = 16 * 1024 * 1024  # or so many as have so many bytes
_NEAR = 0.8
_CLOCKS = timedelta(seconds=60)  # as far as the clocks of two hosts may be apart
_OPENS = {Kind.RESULT: Kind.CALL, Kind.EVENT: Kind.WAIT}


@dataclass(frozen=True, slots=True)
class Finding:
    """`code`: gap, next-seq, bytes, last-call-seq, near-cap, undecodable, columns, no-call, no-source, no-script,
    after-end, no-journal, no-run. `seq` of the entry, 0 where it is about the whole journal."""

    run_id: str
    code: str
    message: str
    seq: int = 0

    def as_dict(self) -> dict[str, Any]:
        return {"run": self.run_id, "code": self.code, "seq": self.seq, "message": self.message}


@dataclass(slots=True)
class Checked:
    """`last`: the id of the last run of the batch."""

    runs: int = 0
    entries: int = 0
    last: str = ""
    findings: list[Finding] = field(default_factory=list)


def check(run_id: str, *, decode: bool = True) -> Checked:
    """One run."""
    with one_look():
        return _batch([run_id], decode=decode)


def check_all(after: str = "", *, limit: int | None = None, decode: bool = True) -> Iterator[Checked]:
    """Batches in order of the ids, of journals without a run and runs without a journal too."""
    left = limit
    while left is None or left > 0:
        with one_look():
            ids = _next(after, BATCH if left is None else min(BATCH, left))
            if not ids:
                return
            checked = _batch(ids, decode=decode)
        after = checked.last
        left = None if left is None else left - checked.runs
        yield checked


def _next(after: str, most: int) -> list[str]:
    """Ids of journals and runs: both tables are asked, as either may lack what the other has."""
    journals = Journal.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "bytes")[:most]
    runs = Run.objects.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:most]
    sizes = dict(journals)
    ids = sorted({*sizes, *runs})[:most]
    held = 0
    for at, run_id in enumerate(ids, 1):
        held += sizes.get(run_id, 0)
        if held >= BATCH_BYTES:
            return ids[:at]
    return ids


def _batch(ids: Sequence[str], *, decode: bool) -> Checked:
    checked = Checked(len(ids), last=ids[-1])
    journals = Journal.objects.in_bulk(ids)
    runs = {run["journal_id"]: run for run in Run.objects.filter(journal_id__in=ids).values(*_COLUMNS)}
    sums = {row["run_id"]: row for row in _sums(ids)}
    for run_id in ids:
        checked.findings += _counted(run_id, journals.get(run_id), runs.get(run_id), sums.get(run_id))
        checked.entries += sums[run_id]["count"] if run_id in sums else 0
    checked.findings += _without_source(runs)
    if decode:
        checked.findings += _decoded(ids, runs)
    return checked


_COLUMNS = ("pk", "journal_id", "kind", "source_id", "finished_at", "status")


def _sums(ids: Sequence[str]) -> Any:
    rows = RunJournal.objects.filter(run_id__in=ids).order_by().values("run_id")
    return rows.annotate(
        count=Count("seq"), first=Min("seq"), last=Max("seq"), size=Sum(Length("entry")), call=Max("call_seq")
    )


def _counted(run_id: str, journal: Journal | None, run: Any, sums: Any) -> Iterator[Finding]:
    if run is None:
        yield Finding(run_id, "no-run", "there is a journal, and no run that it is of")
    if journal is None:
        yield Finding(run_id, "no-journal", "the run has no journal: it cannot go on, and is not shown")
        return
    count, size, call = (sums["count"], sums["size"] or 0, sums["call"]) if sums else (0, 0, 0)
    if sums and (sums["first"], sums["last"]) != (1, count):
        told = f"{count} entries from {sums['first']} to {sums['last']}: some are gone; restore them from a backup"
        yield Finding(run_id, "gap", told)
    if journal.next_seq - 1 != (sums["last"] if sums else 0):
        yield Finding(run_id, "next-seq", f"the next seq is {journal.next_seq}, after {sums['last'] if sums else 0}")
    if journal.bytes != size:
        yield Finding(run_id, "bytes", f"the journal counts {journal.bytes} bytes, and its entries have {size}")
    if journal.last_call_seq != call:
        told = f"the journal says that call {journal.last_call_seq} is the last one, and an entry is of call {call}"
        yield Finding(run_id, "last-call-seq", told)
    if run is not None and run["finished_at"] is None:
        yield from _near_cap(run_id, journal)


def _near_cap(run_id: str, journal: Journal) -> Iterator[Finding]:
    limits = conf()
    entries, size = journal.next_seq - 1, journal.bytes
    used = max(entries / limits.journal_max_entries, size / limits.journal_max_bytes)
    if used >= _NEAR:
        most = f"{entries} of {limits.journal_max_entries} entries, {size} of {limits.journal_max_bytes} bytes"
        yield Finding(run_id, "near-cap", f"the journal is {used:.0%} full ({most}); at its cap the run fails")


def _without_source(runs: dict[str, Any]) -> Iterator[Finding]:
    keys = {run["source_id"] for run in runs.values()} - {None}
    there = set(Source.objects.filter(pk__in=keys).values_list("pk", flat=True))
    for run in runs.values():
        if run["source_id"] is None and run["kind"] == Run.Kind.WORKFLOW:
            yield Finding(run["pk"], "no-source", "the run is of a script and has none")
        elif run["source_id"] is not None and run["source_id"] not in there:
            yield Finding(run["pk"], "no-source", f"its script {run['source_id']} is gone; restore it from a backup")


def _decoded(ids: Sequence[str], runs: dict[str, Any]) -> Iterator[Finding]:
    """Row by row, in order. Children's scripts are looked up once for the batch."""
    columns = ("run_id", "seq", "call_seq", "kind", "at", "entry")
    rows = RunJournal.objects.filter(run_id__in=ids).order_by("run_id", "seq").values_list(*columns)
    scripts: dict[str, tuple[str, int]] = {}
    of, opened = "", set[tuple[int, str]]()
    for run_id, seq, call_seq, kind, at, data in rows.iterator(chunk_size=500):
        if run_id != of:
            of, opened = run_id, set()
        try:
            body = codec.decode(data)
            told = (body["callSeq"], body["kind"])
        except Exception as error:  # noqa: BLE001  (whatever it is, it is the finding)
            yield Finding(run_id, "undecodable", f"entry {seq} cannot be decoded ({error!s:.200})", seq)
            continue
        if told != (call_seq, kind):
            said = f"entry {seq} says {told[1]} of call {told[0]}, its columns say {kind} of call {call_seq}"
            yield Finding(run_id, "columns", said, seq)
        opened.add((call_seq, kind))
        if (needed := _OPENS.get(kind)) is not None and (call_seq, needed.value) not in opened:
            yield Finding(run_id, "no-call", f"entry {seq} ends call {call_seq}, which no {needed} has begun", seq)
        if (key := body.get(SCRIPT_KEY)) is not None:
            scripts.setdefault(key, (run_id, seq))
        if _after_end(runs.get(run_id), at, body):
            yield Finding(run_id, "after-end", f"entry {seq} was written after the run had ended", seq)
    there = set(Source.objects.filter(pk__in=scripts).values_list("pk", flat=True))
    for key, (run_id, seq) in scripts.items():
        if key not in there:
            yield Finding(run_id, "no-script", f"the script {key} of a child that entry {seq} has made is gone", seq)


def _after_end(run: Any, at: int, body: dict[str, Any]) -> bool:
    """A late result is recorded, and says that it is one."""
    if run is None or run["finished_at"] is None or body.get("late"):
        return False
    return at - _CLOCKS // timedelta(milliseconds=1) > to_ms(run["finished_at"])
