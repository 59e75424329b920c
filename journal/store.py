"""Reading and appending entries. Plain SQL: an append is on the path of every effect of every run.

An append is one conditional UPDATE of the `Journal` row, which carries the fence, and one INSERT of all rows. Where the
caller has a transaction it runs in that, so that what the caller moves commits with it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from journal import codec, hot
from journal.entries import Entry
from journal.errors import FenceLost, JournalDamaged
from journal.models import Journal, RunJournal

_ROWS_PER_INSERT = 1000  # stays below SQLite's limit of bound parameters
_UPDATE = (
    "UPDATE journal SET next_seq = next_seq + %s, bytes = bytes + %s, cpu_ms = cpu_ms + %s,"
    " last_call_seq = CASE WHEN last_call_seq < %s THEN %s ELSE last_call_seq END"
    " WHERE run_id = %s AND fence = %s"
)
_NAME = "INSERT INTO journal_script (run_id, sha256)"
_COLUMNS = "run_id, seq, call_seq, kind, at, entry"
_ROW = "(%s, %s, %s, %s, %s, %s)"
_SELECT = "SELECT seq, at, entry FROM run_journal WHERE run_id = %s AND seq > %s"


def fresh(run_id: str, realm_version: int) -> Journal:
    """An empty journal, which nobody holds yet (fence 0), not yet written: for whoever inserts it along with what it is
    the journal of."""
    return Journal(run_id=run_id, realm_version=realm_version)


def take_fence(run_ids: Sequence[str]) -> None:
    """Give each journal its next fence token: from here on the writes of the former holder change nothing."""
    marks = ", ".join(["%s"] * len(run_ids))
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE journal SET fence = fence + 1 WHERE run_id IN ({marks})", list(run_ids))  # noqa: S608


def append(run_id: str, fence: int, entries: Sequence[Entry], cpu_ms: float = 0) -> None:
    """Write `entries`, whose seq must follow the last one without a gap, and add `cpu_ms` to what the run has used.

    Raises `FenceLost`, and writes nothing, where `fence` is not the journal's present token.
    """
    one_statement = connection.vendor == "postgresql" and 0 < len(entries) <= _ROWS_PER_INSERT
    write = _append_at_once if one_statement else _append_in_two
    if not write(_head(run_id, fence, entries, cpu_ms), _rows(run_id, entries), _scripts(entries)):
        raise FenceLost(run_id, fence)


@dataclass(frozen=True, slots=True)
class Along:
    """What of the caller's is written in the same statement as entries: two named parts of its WITH.

    `gate` is a SELECT without whose row nothing is written, and which takes the caller's locks before the journal's;
    `update` is an UPDATE that does nothing unless `held` (run_id) has a row.
    """

    gate: str
    gate_values: Sequence[Any]
    update: str
    update_values: Sequence[Any]


def append_along(run_id: str, fence: int, entries: Sequence[Entry], cpu_ms: float, along: Along) -> None:
    """As `append`, with what else commits with it, in one statement of PostgreSQL. At most 1,000 entries."""
    head, rows = _head(run_id, fence, entries, cpu_ms), _rows(run_id, entries)
    if not _append_at_once(head, rows, _scripts(entries), along):
        raise FenceLost(run_id, fence)


def fits_along(entries: Sequence[Entry]) -> bool:
    """Whether `append_along` can write these entries on this database."""
    return connection.vendor == "postgresql" and len(entries) <= _ROWS_PER_INSERT


def _head(run_id: str, fence: int, entries: Sequence[Entry], cpu_ms: float) -> list[Any]:
    newest = max((e.call_seq for e in entries), default=0)
    return [len(entries), sum(len(e.data) for e in entries), cpu_ms, newest, newest, run_id, fence]


def _rows(run_id: str, entries: Sequence[Entry]) -> list[Sequence[Any]]:
    return [(run_id, e.seq, e.call_seq, e.kind, e.at, e.data) for e in entries]


def _scripts(entries: Sequence[Entry]) -> list[str]:
    """The content keys of the scripts that the rows of the entries name, each once."""
    return sorted({key for entry in entries if (key := entry.named_script)})


def _append_at_once(
    head: Sequence[Any], rows: Sequence[Sequence[Any]], scripts: Sequence[str], along: Along | None = None
) -> bool:
    """One round trip, and outside of a transaction one commit, on a database that can write in a WITH."""
    parts = [f"held AS ({_UPDATE} RETURNING run_id)"]
    values: list[Any] = [*head]
    if along is not None:
        gated = f"held AS ({_UPDATE} AND EXISTS (SELECT 1 FROM gate) RETURNING run_id)"  # noqa: S608
        parts = [f"gate AS MATERIALIZED ({along.gate})", gated, f"along AS ({along.update})"]
        values = [*along.gate_values, *head, *along.update_values]
    if scripts:
        marks = ", ".join(["(%s)"] * len(scripts))
        named = f"SELECT held.run_id, name.* FROM held, (VALUES {marks}) AS name"  # noqa: S608
        parts.append(f"named AS ({_NAME} {named} ON CONFLICT DO NOTHING)")
        values += scripts
    what = "SELECT 1 FROM held"
    if rows:
        marks = ", ".join([_ROW] * len(rows))
        what = f"INSERT INTO run_journal ({_COLUMNS}) SELECT row.* FROM held, (VALUES {marks}) AS row"  # noqa: S608
    with hot.cursor() as cursor:
        cursor.execute(f"WITH {', '.join(parts)} {what}", [*values, *(column for row in rows for column in row)])
        return bool(cursor.rowcount)


def _append_in_two(head: Sequence[Any], rows: Sequence[Sequence[Any]], scripts: Sequence[str]) -> bool:
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        cursor.execute(_UPDATE, head)
        if cursor.rowcount != 1:
            return False
        for chunk in (rows[at : at + _ROWS_PER_INSERT] for at in range(0, len(rows), _ROWS_PER_INSERT)):
            values = ", ".join([_ROW] * len(chunk))
            cursor.execute(
                f"INSERT INTO run_journal ({_COLUMNS}) VALUES {values}",  # noqa: S608
                [column for row in chunk for column in row],
            )
        for chunk in (scripts[at : at + _ROWS_PER_INSERT] for at in range(0, len(scripts), _ROWS_PER_INSERT)):
            marks = ", ".join(["(%s, %s)"] * len(chunk))
            named = [value for sha256 in chunk for value in (head[-2], sha256)]
            cursor.execute(f"{_NAME} VALUES {marks} ON CONFLICT DO NOTHING", named)
    return True


def read(run_id: str, after_seq: int = 0, *, superseded: bool = True, most: int | None = None) -> list[Entry]:
    """Entries in order of seq, those after `after_seq`, at most `most`; `superseded=False` leaves out what an attempt
    left behind."""
    sql = _SELECT + ("" if superseded else " AND superseded_by IS NULL") + " ORDER BY seq"
    sql += "" if most is None else " LIMIT %s"
    with connection.cursor() as cursor:
        cursor.execute(sql, [run_id, after_seq] if most is None else [run_id, after_seq, most])
        return list(_entries(run_id, cursor.fetchall()))


def last_call_seq(run_id: str) -> int:
    """The highest callSeq ever given out, superseded entries included; 0 for none."""
    return RunJournal.objects.filter(run_id=run_id).aggregate(last=Max("call_seq"))["last"] or 0


def supersede(run_id: str, seqs: Iterable[int], attempt: int) -> None:
    """Mark entries as left behind by `attempt`; they stay readable, and replay passes them over."""
    seqs = sorted(seqs)
    for at in range(0, len(seqs), _ROWS_PER_INSERT):
        chunk = seqs[at : at + _ROWS_PER_INSERT]
        RunJournal.objects.filter(run_id=run_id, seq__in=chunk, superseded_by=None).update(superseded_by=attempt)


def read_call(run_id: str, call_seq: int) -> list[Entry]:
    """The entries of one ctx call, in order."""
    return read_calls(run_id, [call_seq])


def read_calls(run_id: str, call_seqs: Iterable[int]) -> list[Entry]:
    """The entries of some ctx calls, superseded ones too, in order."""
    rows = RunJournal.objects.filter(run_id=run_id, call_seq__in=list(call_seqs)).order_by("seq")
    return list(_entries(run_id, rows.values_list("seq", "at", "entry")))


def _entries(run_id: str, rows: Iterable[tuple[int, int, bytes | memoryview]]) -> Iterator[Entry]:
    for seq, at, data in rows:
        try:
            yield Entry(seq, at, codec.decode(data), bytes(data))
        except Exception as error:
            raise JournalDamaged(run_id, seq, str(error)) from error
