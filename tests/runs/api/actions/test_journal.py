"""GetRunJournal: every entry once and in order, however it is paged and whatever is appended meanwhile."""

import threading
from collections.abc import Callable

import pytest
from asking import ECHO, done, failed, refused
from django.db import connection
from going import begun, go_on

from journal import bodies, store
from journal.entries import Entry
from journal.models import RunJournal
from runs.api.actions import journal
from runs.api.caller import Caller
from runs.models import Run
from runs.operations import retry
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)


def lines(run: Run, first: int, count: int, size: int = 1) -> None:
    """Appends lines of a log, as the holder of the run."""
    fence = type(run.journal).objects.get(pk=run.journal_id).fence
    entries = [Entry.of(seq, 1000 + seq, bodies.notice("info", "x" * size)) for seq in range(first, first + count)]
    store.append(run.journal_id, fence, entries)


def test_entries_come_in_order_with_all_that_they_carry(owner: Caller) -> None:
    run = failed(owner)
    said = done(owner, "GetRunJournal", runId=run.pk)
    assert said["entries"] == [entry.as_dict() for entry in store.read(run.journal_id)]
    assert [(entry["kind"], entry["callSeq"]) for entry in said["entries"][:2]] == [("call", 1), ("result", 1)]
    assert (said["lastSeq"], said["more"]) == (said["entries"][-1]["seq"], False)


def test_after_a_seq_come_only_those_behind_it(owner: Caller) -> None:
    run = failed(owner)
    whole = done(owner, "GetRunJournal", runId=run.pk)["entries"]
    assert done(owner, "GetRunJournal", runId=run.pk, afterSeq=2)["entries"] == whole[2:]
    after_all = done(owner, "GetRunJournal", runId=run.pk, afterSeq=2**31 - 1)
    assert (after_all["entries"], after_all["lastSeq"], after_all["more"]) == ([], 2**31 - 1, False)


def test_a_page_says_whether_there_is_more(owner: Caller) -> None:
    run = start(ECHO, owner=owner.user).run
    lines(run, 1, 6)
    sizes = [(len(said["entries"]), said["more"]) for said in (page(owner, run, 0, n) for n in (5, 6, 7))]
    assert sizes == [(5, True), (6, False), (6, False)]


def page(owner: Caller, run: Run, after: int, limit: int) -> dict[str, object]:
    return done(owner, "GetRunJournal", runId=run.pk, afterSeq=after, limit=limit)


def test_an_answer_is_bounded_in_bytes_and_goes_on(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "BYTES", 5000)
    run = start(ECHO, owner=owner.user).run
    lines(run, 1, 4, size=2000)
    lines(run, 5, 1, size=9000)
    seen, sizes, said = [], [], {"lastSeq": 0, "more": True}
    while said["more"]:
        said = done(owner, "GetRunJournal", runId=run.pk, afterSeq=said["lastSeq"])
        seen += [entry["seq"] for entry in said["entries"]]
        sizes.append(len(said["entries"]))
    assert (seen, sizes) == ([1, 2, 3, 4, 5], [2, 2, 1])


def test_pages_neither_skip_nor_double_while_the_run_appends(owner: Caller) -> None:
    run, total = start(ECHO, owner=owner.user).run, 400

    def append() -> None:
        try:
            for first in range(1, total, 4):
                lines(run, first, 4)
        finally:
            connection.close()

    holder = threading.Thread(target=append)
    holder.start()
    seen: list[int] = []
    while len(seen) < total:
        said = done(owner, "GetRunJournal", runId=run.pk, afterSeq=seen[-1] if seen else 0, limit=7)
        assert said["more"] in (True, False)
        seen += [entry["seq"] for entry in said["entries"]]
        assert holder.is_alive() or said["entries"], "all is written, and some of it is never given"
    holder.join()
    assert seen == list(range(1, total + 1))


def test_what_an_attempt_left_behind_says_so(owner: Caller) -> None:
    run = failed(owner)
    retry(run.pk)
    go_on(run)
    left = {entry["seq"]: entry.get("supersededBy") for entry in done(owner, "GetRunJournal", runId=run.pk)["entries"]}
    assert left == dict(RunJournal.objects.filter(run_id=run.journal_id).values_list("seq", "superseded_by"))
    assert 2 in left.values()


def test_a_damaged_entry_does_not_keep_the_others_away(owner: Caller) -> None:
    run = begun("await ctx.call('note', {v: 1}); return ctx.call('note', {v: 2})", owner=owner.user)
    RunJournal.objects.filter(run_id=run.journal_id, seq=2).update(entry=b"\xff\xff")
    entries = done(owner, "GetRunJournal", runId=run.pk)["entries"]
    assert [entry["seq"] for entry in entries] == [1, 2, 3, 4]
    assert (entries[1]["kind"], entries[1]["callSeq"]) == ("result", 1)
    assert "restore it from a backup" in entries[1]["unreadable"]


def test_a_journal_of_somebody_else_is_as_one_that_is_not_there(owner: Caller, caller: Callable[..., Caller]) -> None:
    run = start(ECHO, owner=caller("bob").user).run
    assert refused(owner, "GetRunJournal", 404, runId=run.pk).code == "unknown-run"


@pytest.mark.parametrize("fields", [{"afterSeq": -1}, {"afterSeq": 2**31}, {"limit": 0}, {"limit": 1001}])
def test_bounds_are_refused_by_their_names(owner: Caller, fields: dict[str, int]) -> None:
    run = start(ECHO, owner=owner.user).run
    assert next(iter(fields)) in refused(owner, "GetRunJournal", 422, runId=run.pk, **fields).message
