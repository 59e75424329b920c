"""checkjournal's findings: each fault is found where it is, and a sound journal has none."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F
from going import begun
from lives import CHILD, KINDS, lives

from journal import codec
from journal.models import Journal, RunJournal
from runs.health import journals
from runs.health.journals import check, check_all
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)
BODY = "await ctx.call('note', {v: 1}); await ctx.call('note', {v: 2}); return 3"


def found(run_id: str) -> list[tuple[str, int]]:
    return [(finding.code, finding.seq) for finding in check(run_id).findings]


def rows(run: Run, seq: int) -> Any:
    return RunJournal.objects.filter(run_id=run.pk, seq=seq)


def test_every_kind_of_life_has_a_sound_journal_and_batches_meet_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "BATCH", 7)
    list(lives(len(KINDS)))
    checked = list(check_all())
    assert [finding for part in checked for finding in part.findings] == []
    assert sum(part.runs for part in checked) == Run.objects.count()
    assert sum(part.entries for part in checked) == RunJournal.objects.count()
    assert len(checked) > 3


def test_a_batch_ends_after_so_many_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "BATCH_BYTES", 1)
    pks = sorted(begun(BODY).pk for _ in range(3))
    assert [part.last for part in check_all()] == pks
    assert [part.last for part in check_all(pks[0], limit=1)] == [pks[1]]


def test_a_gap_is_found() -> None:
    run = begun(BODY)
    rows(run, 2).delete()
    assert ("gap", 0) in found(run.pk)


def test_the_end_of_a_journal_that_is_gone_is_found() -> None:
    run = begun(BODY)
    rows(run, 4).delete()
    assert ("next-seq", 0) in found(run.pk)


def test_counters_that_do_not_agree_are_found() -> None:
    run = begun(BODY)
    Journal.objects.filter(pk=run.pk).update(bytes=F("bytes") + 1, last_call_seq=9)
    assert found(run.pk) == [("bytes", 0), ("last-call-seq", 0)]


def test_an_entry_that_cannot_be_decoded_is_named() -> None:
    run = begun(BODY)
    data = bytes(rows(run, 2).get().entry)
    rows(run, 2).update(entry=b"\xff" + data[1:])
    assert found(run.pk) == [("undecodable", 2)]
    assert check(run.pk, decode=False).findings == []


def test_columns_that_say_otherwise_are_found() -> None:
    run = begun(BODY)
    rows(run, 1).update(kind="wait")
    assert ("columns", 1) in found(run.pk)


def test_the_result_of_a_call_that_was_never_made_is_found() -> None:
    run = begun(BODY)
    row = rows(run, 1).get()
    body = codec.decode(row.entry) | {"kind": "log", "level": "info", "message": ""}
    rows(run, 1).update(kind="log", entry=codec.encode(body))
    assert ("no-call", 2) in found(run.pk)


def test_scripts_that_are_gone_are_found() -> None:
    run = begun(f"return await ctx.delegate({{script: {CHILD!r}, input: 1}})")
    row = rows(run, 1).get()
    rows(run, 1).update(entry=codec.encode(codec.decode(row.entry) | {"scriptSha256": "0" * 64}))
    assert found(run.pk) == [("no-script", 1)]
    child = Run.objects.get(parent=run)
    Run.objects.filter(pk=child.pk).update(source=None)
    assert found(child.pk) == [("no-source", 0)]


def test_an_entry_after_the_end_is_found_unless_it_says_that_it_is_late() -> None:
    run = begun(BODY)
    assert run.finished_at is not None
    after = int((run.finished_at + timedelta(hours=1)).timestamp() * 1000)
    rows(run, 4).update(at=after)
    assert found(run.pk) == [("after-end", 4)]
    row = rows(run, 4).get()
    rows(run, 4).update(entry=codec.encode(codec.decode(row.entry) | {"late": True}))
    assert found(run.pk) == [("bytes", 0)]


def test_a_live_run_near_its_cap_is_found_and_one_that_has_ended_is_not(settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "journal_max_entries": 6}
    waits, ended = (
        begun("await ctx.call('note', {v: 1}); await ctx.call('note', {v: 2}); await ctx.waitForEvent({})"),
        begun(BODY),
    )
    assert found(waits.pk) == [("near-cap", 0)]
    assert found(ended.pk) == []


def test_a_journal_without_a_run_is_found() -> None:
    Journal.objects.create(run_id="0" * 26, realm_version=1)
    run = begun(BODY)
    assert [f.code for part in check_all() for f in part.findings] == ["no-run"]
    assert found(run.pk) == []


def test_the_last_moment_of_the_calendar_is_one_too() -> None:
    run = begun(BODY)  # as a copy may have it, from a file that says so
    Run.objects.filter(pk=run.pk).update(finished_at=datetime.max.replace(tzinfo=UTC))
    assert found(run.pk) == []
