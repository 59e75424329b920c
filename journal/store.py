"""Reading and appending entries. Plain SQL: an append is on the path of every effect of every run.

An append is one conditional UPDATE of the `Journal` row, which carries the fence, and one INSERT of all rows. Where the
caller has a transaction it runs in that, so that what the caller moves commits with it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from journal import codec
from journal.entries import Entry
from journal.errors import FenceLost, JournalDamaged
from journal.models import Journal, RunJournal

_ROWS_PER_INSERT = 1000  # stays below SQLite's limit of bound parameters
_UPDATE = (
    "UPDATE journal SET next_seq = next_seq + %s, bytes = bytes + %s, cpu_ms = cpu_ms + %s,"
    " last_call_seq = CASE WHEN last_call_seq < %s THEN %s ELSE last_call_seq END"
    " WHERE run_id = %s AND fence = %s"
)
_COLUMNS = "run_id, seq, call_seq, kind, at, entry"
_ROW = "(%s, %s, %s, %s, %s, %s)"
_SELECT = "SELECT seq, at, entry FROM run_journal WHERE run_id = %s AND seq > %s"


def create(run_id: str, realm_version: int) -> Journal:
    """An empty journal, which nobody holds yet (fence 0)."""
    return Journal.objects.create(run_id=run_id, realm_version=realm_version)


def take_fence(run_ids: Sequence[str]) -> None:
    """Give each journal its next fence token: from here on the writes of the former holder change nothing."""
    marks = ", ".join(["%s"] * len(run_ids))
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE journal SET fence = fence + 1 WHERE run_id IN ({marks})", list(run_ids))  # noqa: S608


def append(run_id: str, fence: int, entries: Sequence[Entry], cpu_ms: float = 0) -> None:
    """Write `entries`, whose seq must follow the last one without a gap, and add `cpu_ms` to what the run has used.

    Raises `FenceLost`, and writes nothing, where `fence` is not the journal's present token.
    """
    rows = [(run_id, e.seq, e.call_seq, e.kind, e.at, e.data) for e in entries]
    newest = max((e.call_seq for e in entries), default=0)
    head = [len(rows), sum(len(e.data) for e in entries), cpu_ms, newest, newest, run_id, fence]
    one_statement = connection.vendor == "postgresql" and 0 < len(rows) <= _ROWS_PER_INSERT
    written = _append_at_once(head, rows) if one_statement else _append_in_two(head, rows)
    if not written:
        raise FenceLost(run_id, fence)


def _append_at_once(head: Sequence[Any], rows: Sequence[Sequence[Any]]) -> bool:
    """One round trip, and outside of a transaction one commit, on a database that can write in a WITH."""
    values = ", ".join([_ROW] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH held AS ({_UPDATE} RETURNING run_id) INSERT INTO run_journal ({_COLUMNS}) "  # noqa: S608
            f"SELECT row.* FROM held, (VALUES {values}) AS row",
            [*head, *(column for row in rows for column in row)],
        )
        return bool(cursor.rowcount)


def _append_in_two(head: Sequence[Any], rows: Sequence[Sequence[Any]]) -> bool:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_UPDATE, head)
        if cursor.rowcount != 1:
            return False
        for chunk in (rows[at : at + _ROWS_PER_INSERT] for at in range(0, len(rows), _ROWS_PER_INSERT)):
            values = ", ".join([_ROW] * len(chunk))
            cursor.execute(
                f"INSERT INTO run_journal ({_COLUMNS}) VALUES {values}",  # noqa: S608
                [column for row in chunk for column in row],
            )
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
