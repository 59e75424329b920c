"""Claims, leases and fences."""

import contextlib
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from journal import bodies, store
from journal.entries import Entry
from journal.errors import FenceLost
from runs import queue
from runs.held import HeldRun
from runs.host import Failed, Parked, Round, Succeeded
from runs.host.failure import run_error
from runs.models import Run, Source
from runs.starting import start

pytestmark = pytest.mark.django_db
SCRIPT = "export default async () => 1"


def entry(seq: int) -> Entry:
    return Entry.of(seq, 0, bodies.now(seq, seq))


def test_a_claim_takes_a_lease_and_a_new_fence() -> None:
    run = start(SCRIPT).run
    [held] = queue.claim("worker")
    assert (held.pk, held.status, held.worker, held.fence) == (run.pk, "running", "worker", 1)
    assert held.journal.fence == 1
    assert held.lease_until is not None
    assert held.lease_until > timezone.now() + timedelta(seconds=30)
    assert held.started_at is not None


def test_a_run_is_claimed_once() -> None:
    start(SCRIPT)
    assert len(queue.claim("one")) == 1
    assert queue.claim("two") == []


def test_interactive_goes_before_background_then_priority_then_age() -> None:
    old_background = start(SCRIPT, queue="background", priority=9).run
    second = start(SCRIPT).run
    third = start(SCRIPT).run
    first = start(SCRIPT, priority=1).run
    assert [run.pk for run in queue.claim("w", 9)] == [first.pk, second.pk, third.pk, old_background.pk]


def test_a_claim_for_one_run_takes_that_one() -> None:
    start(SCRIPT)
    wanted = start(SCRIPT).run
    assert [run.pk for run in queue.claim("w", only=wanted.pk)] == [wanted.pk]


def test_a_released_run_is_queued_for_the_next_claim_under_a_new_fence() -> None:
    start(SCRIPT)
    [held] = queue.claim("one")
    assert queue.release({held.pk: held.fence}) == 1
    [again] = queue.claim("two")
    assert (again.pk, again.fence, again.crashes) == (held.pk, 2, 0)


def test_the_write_of_a_former_holder_changes_nothing() -> None:
    start(SCRIPT)
    [old] = queue.claim("one")
    queue.release({old.pk: old.fence})
    queue.claim("two")
    stale = HeldRun(old)
    for late in (
        Round([entry(1)]),
        Round(ending=Succeeded(1)),
        Round([entry(1)], ending=Failed(run_error("x", "y", ""))),
    ):
        with pytest.raises(FenceLost):
            stale.commit(late)
    assert store.read(old.pk) == []
    assert Run.objects.get(pk=old.pk).status == "running"
    assert queue.release({old.pk: old.fence}) == 0


def test_entries_and_the_end_of_a_run_commit_together_or_not_at_all() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")
    Run.objects.filter(pk=held.pk).update(fence=9)  # the row is lost, the journal's fence still fits
    with pytest.raises(FenceLost):
        HeldRun(held).commit(Round([entry(1)], ending=Succeeded(1)))
    assert store.read(held.pk) == []


def test_a_parked_run_holds_neither_worker_nor_lease_and_wakes_when_due() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")
    now = timezone.now()
    HeldRun(held).commit(Round([entry(1)], ending=Parked(int(now.timestamp() * 1000) - 5, [{"kind": "timer"}])))
    parked = Run.objects.get(pk=held.pk)
    assert (parked.status, parked.worker, parked.lease_until, parked.wait) == ("waiting", "", None, [{"kind": "timer"}])
    assert queue.wake([held.pk]) == 1
    assert Run.objects.get(pk=held.pk).status == "queued"


def test_a_run_that_is_not_due_does_not_wake() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")
    HeldRun(held).commit(Round(ending=Parked(int(timezone.now().timestamp() * 1000) + 60_000, [])))
    assert queue.wake([held.pk]) == 0


def test_renewing_prolongs_the_leases_that_are_still_ours() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")
    Run.objects.update(lease_until=timezone.now())
    assert queue.renew({held.pk: held.fence + 1}) == set()
    assert Run.objects.get().lease_until <= timezone.now()  # type: ignore[operator]
    assert queue.renew({held.pk: held.fence}) == {held.pk}
    assert Run.objects.get().lease_until > timezone.now() + timedelta(seconds=30)  # type: ignore[operator]


def test_renewing_tells_which_of_many_are_still_ours() -> None:
    for _ in range(3):
        start(SCRIPT)
    first, released, last = queue.claim("w", limit=3)
    queue.release({released.pk: released.fence})
    assert queue.renew({run.pk: run.fence for run in (first, released, last)}) == {first.pk, last.pk}


def test_standing_tells_what_is_lost_and_what_is_to_be_canceled() -> None:
    start(SCRIPT)
    start(SCRIPT)
    mine, lost = queue.claim("w", 2)
    Run.objects.filter(pk=mine.pk).update(cancel_requested_at=timezone.now(), cancel_reason="enough")
    Run.objects.filter(pk=lost.pk).update(fence=7)
    told = queue.standing({mine.pk: mine.fence, lost.pk: lost.fence, "gone": 1})
    assert (told[mine.pk].held, told[mine.pk].cancel) == (True, "enough")
    assert not told[lost.pk].held
    assert not told["gone"].held


def test_a_failed_transactional_work_is_undone_and_its_entry_written() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")

    def work(broken: str | None) -> tuple[bool, list[Entry]]:
        Run.objects.filter(pk=held.pk).update(title="changed")
        return False, [entry(2)]

    HeldRun(held).commit_around(Round([entry(1)]), work)
    assert [e.seq for e in store.read(held.pk)] == [1, 2]
    assert Run.objects.get().title == ""


def test_work_that_has_broken_its_transaction_in_silence_is_undone_and_told_so() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")
    told: list[str | None] = []

    def work(broken: str | None) -> tuple[bool, list[Entry]]:
        told.append(broken)
        if broken is None:
            Run.objects.filter(pk=held.pk).update(title="changed")
            with contextlib.suppress(IntegrityError):
                Source.objects.create(sha256=held.source_id, text="twice")
        return broken is None, [entry(1)]

    HeldRun(held).commit_around(Round(), work)
    assert told[0] is None
    assert "atomic()" in str(told[1])
    assert [e.seq for e in store.read(held.pk)] == [1]
    assert Run.objects.get().title == ""


def test_a_transactional_work_leaves_the_runs_row_to_others() -> None:
    start(SCRIPT)
    [held] = queue.claim("w")

    def work(broken: str | None) -> tuple[bool, list[Entry]]:
        return True, [entry(2)]

    with CaptureQueriesContext(connection) as queries:
        HeldRun(held).commit_around(Round([entry(1)]), work)
    assert not [query["sql"] for query in queries if "runs_run" in query["sql"]]
