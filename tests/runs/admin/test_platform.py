"""The platform page: what is bad is said with what to do, and what could not be read never looks like nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from django_q.models import Task

from runs import nudges, vitals
from runs.admin import telling
from runs.admin.telling import Section
from runs.finding import Count
from runs.health.signs import Sign, shown
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start
from runs.vitals import Cluster, Lateness, Size
from runs.workers.identity import worker_name

pytestmark = pytest.mark.django_db
BrowserOf = Callable[..., Client]
SCRIPT = "export default async () => 1"


@pytest.fixture(autouse=True)
def own_cache(settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "page"}}
    cache.clear()


def told(title: str) -> Section:
    return next(section for section in telling.sections() if section.title == title)


def words(section: Section) -> str:
    return " | ".join("".join(str(part) for part in row.words) for row in section.rows)


def claimed(title: str, lease: float) -> Run:
    run = start(SCRIPT, title=title).run
    ends = timezone.now() + timedelta(seconds=lease)
    assert move(Run.objects.filter(pk=run.pk), Move.CLAIM, worker="host:7:n:1", lease_until=ends)
    return run


def test_without_clock_and_cluster_both_are_bad_and_say_what_to_start() -> None:
    assert (told("Clock").state, "manage.py runclock" in told("Clock").todo) == ("bad", True)
    cluster = told("Clusters of django-q2")
    assert (cluster.state, "manage.py qcluster" in cluster.todo) == ("bad", True)


def test_a_clock_and_a_cluster_that_live_are_good(monkeypatch: pytest.MonkeyPatch) -> None:
    vitals.tell_of_clock(0.25)
    alive = Cluster("daybook", "here", 12, "Idle", timezone.now(), [13, 14])
    monkeypatch.setattr(vitals, "clusters", lambda: [alive])
    assert (told("Clock").state, told("Clock").said) == ("good", "1 clock looks for what is due.")
    assert worker_name() in words(told("Clock"))
    cluster = told("Clusters of django-q2")
    assert (cluster.state, cluster.said) == ("good", "1 cluster with 2 worker processes.")


def test_a_cluster_that_stops_is_no_cluster_that_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vitals, "clusters", lambda: [Cluster("daybook", "here", 12, "Stopping", timezone.now(), [])])
    assert told("Clusters of django-q2").state == "bad"


def test_a_worker_whose_lease_has_ended_is_named_with_its_runs() -> None:
    run = claimed("Held", 60)
    assert (told("Workers").state, told("Workers").said) == ("plain", "1 worker holds 1 run.")
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=5))
    section = told("Workers")
    assert section.state == "bad"
    assert "host:7:n:1 holds 1 run, silent" in words(section)
    assert section.rows[0].runs == [run]


def test_a_queue_is_bad_once_a_run_waits_too_long() -> None:
    run = start(SCRIPT).run
    assert told("Queues").state == "good"
    assert "1 ready, the oldest since" in words(told("Queues"))
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(seconds=telling.QUEUED_LONG + 1))
    section = told("Queues")
    assert (section.state, run.queue in section.said, "DAYBOOK_WORKERS" in section.todo) == ("bad", True, True)


@pytest.mark.parametrize(("seconds", "state"), [(0.5, "good"), (telling.LATE + 1, "bad")])
def test_timers_are_bad_when_they_are_late_and_not_when_they_are_due(
    monkeypatch: pytest.MonkeyPatch, seconds: float, state: str
) -> None:
    monkeypatch.setattr(vitals, "lateness", lambda: Lateness(Count(10_000, more=True), seconds))
    section = told("Timers")
    assert section.state == state
    assert section.said.startswith("10,000+ runs are due, the first for ")


def test_failed_nudges_are_bad_for_a_day_and_shown_after_it() -> None:
    assert told("Nudges").state == "good"
    now = timezone.now()
    task = Task.objects.create(
        id="n" * 32, name="n", func=nudges.TASK, started=now, stopped=now, success=False, result="...\nOSError: gone"
    )
    assert (told("Nudges").state, "OSError: gone" in words(told("Nudges"))) == ("bad", True)
    Task.objects.filter(pk=task.pk).update(stopped=now - timedelta(days=2))
    assert (told("Nudges").state, "OSError: gone" in words(told("Nudges"))) == ("good", True)


def test_the_database_says_its_size_and_a_log_that_grows_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vitals, "size", lambda: Size("sqlite", 5 * 1024**2, 1024**2, 2 * 1024**2))
    assert told("Database").said == "SQLite, 5.0 MB; write-ahead log 1.0 MB; 2.0 MB of it free for what comes."
    monkeypatch.setattr(vitals, "size", lambda: Size("sqlite", 5 * 1024**2, 300 * 1024**2))
    assert told("Database").state == "bad"


def test_runs_near_their_cap_and_the_oldest_that_wait_are_shown() -> None:
    run = claimed("Chatty", 60)
    Run.objects.filter(pk=run.pk).update(**shown(Sign.NEAR_CAP))
    assert (told("Journals nearly full").state, told("Journals nearly full").rows[0].runs) == ("bad", [run])
    assert told("Oldest waiting").said == "No run is parked."
    later = timezone.now() + timedelta(hours=1)
    assert move(Run.objects.filter(pk=run.pk), Move.PARK, wait=[], wake_at=later)
    assert told("Oldest waiting").rows[0].runs == [run]


def test_what_cannot_be_read_says_so_and_the_rest_is_still_told(
    monkeypatch: pytest.MonkeyPatch, browser_of: BrowserOf
) -> None:
    def away() -> Any:
        raise OperationalError("the database is away")

    monkeypatch.setattr(vitals, "near_cap", away)
    assert [section.title for section in telling.sections() if section.state == "unknown"] == ["Journals nearly full"]
    html = browser_of("view_run").get("/admin/platform/").content.decode()
    assert "This could not be read: OperationalError: the database is away" in html
    assert "No run that goes on has a journal" not in html
    assert "No run is parked." in html


def test_it_is_for_the_staff_who_may_view_all_runs(browser_of: BrowserOf) -> None:
    assert browser_of(name="none").get("/admin/platform/").status_code == 403
    assert 'href="/admin/platform/"' not in browser_of(name="other").get("/admin/").content.decode()
    allowed = browser_of("view_run")
    assert allowed.get("/admin/platform/").status_code == 200
    assert 'href="/admin/platform/"' in allowed.get("/admin/").content.decode()
    stranger = Client()
    assert stranger.get("/admin/platform/").headers["Location"] == "/admin/login/?next=/admin/platform/"
    stranger.force_login(User.objects.create_user("plain"))
    assert stranger.get("/admin/platform/").status_code == 302
