"""The facts about the platform: each true, each in a bounded number of queries."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import OrmQ, Task
from plans import asked, plan, scans

from runs import nudges, queue, vitals
from runs.commands import ticking
from runs.finding import Count
from runs.health.signs import Sign, shown
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start
from runs.vitals import clock as clocks
from runs.workers.identity import worker_name

pytestmark = pytest.mark.django_db
SCRIPT = "export default async () => 1"


@pytest.fixture(autouse=True)
def own_cache(settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "vitals"}}
    cache.clear()


def parked(title: str, wake_in: float) -> Run:
    run = start(SCRIPT, title=title).run
    mine = Run.objects.filter(pk=run.pk)
    move(mine, Move.CLAIM, lease_until=timezone.now())
    assert move(mine, Move.PARK, wait=[], wake_at=timezone.now() + timedelta(seconds=wake_in))
    return run


def test_a_clock_that_looks_is_seen_by_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert vitals.clocks() == []
    looks: list[bool] = []

    def look(away: bool) -> bool:
        looks.append(away)
        if len(looks) == 3:
            raise ticking.Stopped
        return len(looks) == 1  # at first the database is away

    monkeypatch.setattr(ticking, "_tick", look)
    monkeypatch.setattr(ticking, "_AWAY_SECONDS", 0)
    ticking.run_clock(0.01)
    [clock] = vitals.clocks()
    assert (clock.name, clock.interval, clock.running) == (worker_name(), 0.01, True)


def test_a_clock_tells_seldom_and_one_that_is_silent_no_longer_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[float] = []
    monkeypatch.setattr(clocks, "tell_of_clock", told.append)
    sign = clocks.ClockSign(0.25)
    for _ in range(100):
        sign.looked()
    assert told == [0.25]
    now = timezone.now()
    assert clocks.Clock("a:1:n:2", now - timedelta(seconds=10), 0.25).running
    assert not clocks.Clock("a:1:n:2", now - timedelta(seconds=30), 0.25).running
    assert clocks.Clock("a:1:n:2", now - timedelta(seconds=30), 15).running


def test_a_cache_that_is_away_does_not_stop_the_clock(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    }
    vitals.tell_of_clock(0.25)
    assert "left no sign of life" in caplog.text


def test_workers_are_told_with_what_they_hold() -> None:
    runs = [start(SCRIPT).run.pk for _ in range(3)]
    queue.claim("host:7:n:1", 2)
    queue.claim("host:8:n:1", 1)
    Run.objects.filter(worker="host:8:n:1").update(lease_until=timezone.now() - timedelta(seconds=1))
    one, other = vitals.workers()
    assert (one.name, one.host, one.pid, one.held, one.silent) == ("host:7:n:1", "host", "7", 2, False)
    assert sorted(one.runs + other.runs) == sorted(runs)
    assert abs((timezone.now() - one.renewed).total_seconds()) < 30
    assert other.silent


def test_queues_are_told_with_their_age_and_what_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    old = start(SCRIPT, queue="background").run
    Run.objects.filter(pk=old.pk).update(queued_at=timezone.now() - timedelta(minutes=5))
    start(SCRIPT, queue="background", priority=5)
    kept = start(SCRIPT, concurrency_key="K").run
    Run.objects.filter(pk=kept.pk).update(held_back=True)
    told = {queued.queue: queued for queued in vitals.queues()}
    assert told["background"].ready == Count(2)
    assert 299 < told["background"].age_seconds < 400
    assert (told["interactive"].ready, told["interactive"].held_back) == (Count(0), Count(1))
    assert told["interactive"].age_seconds == 0
    monkeypatch.setattr("runs.vitals.queue.COUNTED", 1)
    assert str(next(q for q in vitals.queues() if q.queue == "background").ready) == "1+"


def test_lateness_is_that_of_the_first_that_should_have_been_woken() -> None:
    assert vitals.lateness() == vitals.Lateness(Count(0), 0.0)
    parked("late", -90)
    parked("later", -5)
    parked("not yet", 60)
    late = vitals.lateness()
    assert late.overdue == Count(2)
    assert 89 < late.seconds < 190


def test_the_oldest_that_wait_and_those_whose_journals_fill_up() -> None:
    first, second = parked("first", 60), parked("second", 60)
    assert [run.pk for run in vitals.oldest_waiting()] == [first.pk, second.pk]
    ended = start(SCRIPT).run
    Run.objects.filter(pk__in=[second.pk, ended.pk]).update(**shown(Sign.NEAR_CAP))
    Run.objects.filter(pk=first.pk).update(**shown(Sign.LATE))
    move(Run.objects.filter(pk=ended.pk), Move.CANCEL)
    [near] = vitals.near_cap()
    assert (near.pk, near.journal.next_seq) == (second.pk, 1)


def test_failed_nudges_are_told_with_why() -> None:
    at = timezone.now()
    told = {"func": nudges.TASK, "started": at, "stopped": at, "name": "n"}
    Task.objects.create(id="1", success=False, result="Traceback\n  x\nOSError: no room", **told)
    Task.objects.create(id="2", success=True, result="", **told)
    [failed] = vitals.failed_nudges()
    assert failed.why == "OSError: no room"


def test_pending_nudges_are_those_of_the_broker() -> None:
    OrmQ.objects.all().delete()
    before = vitals.pending_nudges()
    nudges.send()
    assert vitals.pending_nudges() >= before


def test_a_cluster_is_told_as_q2_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from django_q.cluster import Sentinel
    from django_q.status import Status

    assert vitals.clusters() == []
    status = Status(4711, "c1")
    status.workers, status.status = [1, 2], "Idle"
    monkeypatch.setattr("django_q.status.Stat.get_all", lambda *_: [status])
    [cluster] = vitals.clusters()
    assert (cluster.pid, cluster.state, cluster.processes) == (4711, "Idle", [1, 2])
    assert Sentinel


def test_the_database_has_a_size() -> None:
    told = vitals.size()
    assert told.vendor == connection.vendor
    assert told.total > 100_000


def test_every_fact_costs_the_same_queries_whatever_there_is_and_none_reads_the_table() -> None:
    def all_facts() -> None:
        vitals.workers(), vitals.queues(), vitals.lateness(), vitals.oldest_waiting(), vitals.near_cap()

    with CaptureQueriesContext(connection) as few:
        all_facts()
    for number in range(8):
        parked(f"{number}", -1)
        start(SCRIPT)
        queue.claim(f"host:{number}:n:1")
    with asked() as queries:
        all_facts()
    assert len(queries) <= len(few) + 2
    for sql, params in queries:
        assert not scans(plan(sql, params)), plan(sql, params)
