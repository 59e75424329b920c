"""Appending and reading entries: no gap, no double, nothing without the fence."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from journal import bodies, store
from journal.entries import Entry
from journal.errors import FenceLost, JournalDamaged
from journal.models import Journal, RunJournal

RUN = "0" * 26
pytestmark = pytest.mark.django_db


@pytest.fixture
def journal() -> Journal:
    journal = store.fresh(RUN, realm_version=1)
    journal.save(force_insert=True)
    return journal


def entries(first: int, count: int) -> list[Entry]:
    return [Entry.of(seq, 1_700_000_000_000 + seq, bodies.now(seq, seq)) for seq in range(first, first + count)]


def test_entries_are_read_in_the_order_in_which_they_were_written(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 3))
    store.append(RUN, 0, entries(4, 2))
    assert [(e.seq, e.call_seq, e.kind, e.body["value"]) for e in store.read(RUN)] == [
        (seq, seq, "now", seq) for seq in range(1, 6)
    ]


def test_reading_after_a_seq_gives_only_what_follows(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 5))
    assert [entry.seq for entry in store.read(RUN, after_seq=3)] == [4, 5]


def test_an_append_of_any_length_is_one_update_and_one_insert_or_both_at_once(journal: Journal) -> None:
    with CaptureQueriesContext(connection) as queries:
        store.append(RUN, 0, entries(1, 50))
    statements = [query["sql"].split()[0] for query in queries if "SAVEPOINT" not in query["sql"]]
    assert statements == (["WITH"] if connection.vendor == "postgresql" else ["UPDATE", "INSERT"])


def test_more_rows_than_a_statement_may_bind_are_written_all_the_same(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 2_500))
    assert RunJournal.objects.filter(run_id=RUN).count() == 2_500


def test_an_append_under_an_old_fence_writes_nothing(journal: Journal) -> None:
    store.take_fence([RUN])
    with pytest.raises(FenceLost):
        store.append(RUN, 0, entries(1, 1))
    assert store.read(RUN) == []
    journal.refresh_from_db()
    assert (journal.next_seq, journal.bytes) == (1, 0)


def test_the_row_knows_the_next_seq_the_bytes_and_the_cpu(journal: Journal) -> None:
    written = entries(1, 3)
    store.append(RUN, 0, written, cpu_ms=2.5)
    journal.refresh_from_db()
    assert (journal.next_seq, journal.bytes, journal.cpu_ms) == (4, sum(len(e.data) for e in written), 2.5)


def test_cpu_without_entries_is_counted_too(journal: Journal) -> None:
    store.append(RUN, 0, [], cpu_ms=1.5)
    journal.refresh_from_db()
    assert (journal.next_seq, journal.cpu_ms) == (1, 1.5)


def test_the_row_keeps_the_highest_call_seq_whatever_is_superseded(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 3))
    store.append(RUN, 0, [Entry.of(4, 0, bodies.now(2, 2))])
    journal.refresh_from_db()
    assert journal.last_call_seq == 3


def test_a_seq_is_never_written_twice(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 2))
    with pytest.raises(IntegrityError):
        store.append(RUN, 0, entries(2, 1))


def test_superseded_entries_stay_readable_and_out_of_the_replay(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 3))
    RunJournal.objects.filter(run_id=RUN, seq=2).update(superseded_by=2)
    assert [entry.seq for entry in store.read(RUN)] == [1, 2, 3]
    assert [entry.seq for entry in store.read(RUN, superseded=False)] == [1, 3]


def test_the_entries_of_one_call_are_found_by_its_call_seq(journal: Journal) -> None:
    call = Entry.of(1, 0, bodies.call(7, "echo", {"v": 1}, 3, None))
    result = Entry.of(2, 0, bodies.result(7, call.body["key"], True, 1))
    store.append(RUN, 0, [call, result, *entries(3, 1)])
    assert [entry.kind for entry in store.read_call(RUN, 7)] == ["call", "result"]


def test_a_row_that_cannot_be_decoded_is_named(journal: Journal) -> None:
    store.append(RUN, 0, entries(1, 2))
    RunJournal.objects.filter(run_id=RUN, seq=2).update(entry=b"\xff\xff")
    with pytest.raises(JournalDamaged, match=f"entry 2 of run {RUN}"):
        store.read(RUN)


@pytest.mark.parametrize(
    "change",
    [lambda row: row.update(kind="gossip"), lambda row: row.update(seq=0)],
    ids=["an unknown kind", "a seq of 0"],
)
def test_the_database_refuses_nonsense(journal: Journal, change: Callable[..., int]) -> None:
    store.append(RUN, 0, entries(1, 1))
    with pytest.raises(IntegrityError):
        change(RunJournal.objects.filter(run_id=RUN))
