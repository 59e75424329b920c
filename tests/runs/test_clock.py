"""The clock: waking, sweeping, timing out, nudging again."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import OrmQ

from journal import bodies
from journal.entries import Entry
from runs import queue
from runs.clock import tick
from runs.held import HeldRun
from runs.host import Parked, Round
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
SCRIPT = "export default async () => 1"


def held_by(worker: str = "elsewhere:1:other:1") -> Run:
    start(SCRIPT)
    [run] = queue.claim(worker)
    OrmQ.objects.all().delete()
    return run


def end_lease() -> None:
    Run.objects.update(lease_until=timezone.now() - timedelta(seconds=1))


def test_nothing_to_do_moves_nothing() -> None:
    held_by()
    assert not tick()


def test_a_due_run_is_woken_and_nudged() -> None:
    run = held_by()
    HeldRun(run).commit(Round(ending=Parked(int(timezone.now().timestamp() * 1000) - 1, [])))
    assert tick().as_dict() == {"woken": 1, "requeued": 0, "interrupted": 0, "timedOut": 0, "nudged": 0}
    assert Run.objects.get().status == "queued"
    assert OrmQ.objects.count() == 1


def test_a_run_whose_lease_ended_is_queued_under_a_new_fence_and_keeps_its_attempt() -> None:
    run = held_by()
    end_lease()
    assert tick().requeued == 1
    swept = Run.objects.select_related("journal").get()
    assert (swept.status, swept.attempt, swept.crashes, swept.fence) == ("queued", 1, 1, run.fence + 1)
    assert swept.journal.fence == run.fence + 1


def test_a_worker_that_this_machine_sees_dead_loses_its_runs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    held_by("here:1:node:1")
    monkeypatch.setattr("runs.clock.surely_dead", lambda worker: worker == "here:1:node:1")
    assert tick().requeued == 1


def test_three_deaths_at_the_same_entry_fail_the_run_as_interrupted() -> None:
    start(SCRIPT)
    for _ in range(2):
        queue.claim("w")
        end_lease()
        assert tick().requeued == 1
    queue.claim("w")
    end_lease()
    assert tick().interrupted == 1
    run = Run.objects.get()
    assert (run.status, run.error_code) == ("failed", "interrupted")
    assert run.error is not None
    assert "3 workers died" in run.error["message"]


def test_deaths_between_which_the_journal_grew_never_fail_the_run() -> None:
    start(SCRIPT)
    for seq in range(1, 9):
        [run] = queue.claim("w")
        HeldRun(run).commit(Round([Entry.of(seq, 0, bodies.now(seq, seq))]))
        end_lease()
        assert tick().interrupted == 0
    assert Run.objects.get().status == "queued"


def test_a_run_that_has_lived_too_long_fails_wherever_it_waits() -> None:
    start(SCRIPT, budget={"wallSeconds": 5})
    Run.objects.update(deadline_at=timezone.now())
    assert tick().timed_out == 1
    assert Run.objects.get().error_code == "wall-timeout"


def test_what_was_queued_and_never_claimed_is_nudged_again() -> None:
    start(SCRIPT)
    OrmQ.objects.all().delete()
    assert tick().nudged == 0
    Run.objects.update(queued_at=timezone.now() - timedelta(seconds=60))
    assert tick().nudged == 1
    assert OrmQ.objects.count() == 1


def test_a_message_that_nobody_has_come_for_is_not_repeated_for_ever() -> None:
    start(SCRIPT)
    Run.objects.update(queued_at=timezone.now() - timedelta(seconds=60))
    OrmQ.objects.all().delete()
    assert [tick().nudged for _ in range(5)] == [1, 0, 0, 0, 0]
    assert OrmQ.objects.count() == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plans are SQLite's")
def test_a_look_at_parked_runs_reads_those_that_are_due_and_no_others() -> None:
    with CaptureQueriesContext(connection) as queries:
        tick()
    plans = {
        column: plan_of(query["sql"])
        for column in ("wake_at", "deadline_at")
        for query in queries
        if f'"{column}" <=' in query["sql"]
    }
    assert plans == {
        "wake_at": "SEARCH runs_run USING INDEX run_waking (wake_at<?)",
        "deadline_at": "SEARCH runs_run USING INDEX run_deadline (deadline_at<?)",
    }


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return "\n".join(str(row[-1]) for row in cursor.fetchall())
