"""Schedules: what is kept, what is refused, when they fire, and that a firing starts at most one run."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from django_q.models import OrmQ, Schedule
from django_q.scheduler import scheduler
from django_q.signing import SignedPackage

from runs import library, tasks
from runs.errors import BadInput, Refused
from runs.models import Run
from runs.schedules import UnknownSchedule, all_schedules, schedule, unschedule

pytestmark = pytest.mark.django_db
SCRIPT = "export default async (input) => input"


@pytest.fixture(autouse=True)
def _report(monkeypatch: pytest.MonkeyPatch) -> None:
    # q2's scheduler, which has a process of its own, closes the connection that is the test's here.
    monkeypatch.setattr("django_q.scheduler.close_old_django_connections", lambda: None)
    library.save("report", SCRIPT)


def due(name: str, ago: timedelta = timedelta(seconds=1)) -> datetime:
    """Make a schedule due; returns the planned time."""
    at = timezone.now() - ago
    Schedule.objects.filter(name=name).update(next_run=at)
    return at


def messages() -> list[Callable[[], Any]]:
    """What the broker holds of firings, each as a call of its task."""
    found = [SignedPackage.loads(row.payload) for row in OrmQ.objects.order_by("pk")]
    return [
        lambda kwargs=message["kwargs"]: tasks.fire_schedule(**kwargs)
        for message in found
        if message["func"] == "runs.tasks.fire_schedule"
    ]


def test_a_due_schedule_starts_a_run_of_the_script() -> None:
    schedule("nightly", "report", minutes=60, input={"a": ["\0", "\ud800", None]}, title="Nightly")
    due("nightly")
    scheduler()
    [fire] = messages()
    run = Run.objects.get(pk=fire())
    assert (str(run.script_version), run.title, run.queue, run.origin) == (
        "report@1",
        "Nightly",
        "background",
        "schedule",
    )
    assert run.input == {"a": ["\0", "\ud800", None]}


def test_a_message_that_is_delivered_again_starts_nothing() -> None:
    schedule("nightly", "report", minutes=60)
    due("nightly")
    scheduler()
    [fire] = messages()
    assert fire() == fire()
    assert Run.objects.count() == 1


def test_a_firing_that_two_clusters_have_enqueued_starts_one_run() -> None:
    schedule("nightly", "report", minutes=60)
    at = due("nightly")
    scheduler()
    Schedule.objects.update(next_run=at)  # as of a cluster whose commit was lost after its message was sent
    scheduler()
    first, second = messages()
    assert first() == second()
    assert Run.objects.count() == 1


def test_each_firing_starts_a_run_of_its_own_titled_by_its_time() -> None:
    schedule("nightly", "report", minutes=60)
    titles = []
    for hours in (3, 2):
        at = due("nightly", timedelta(hours=hours))
        OrmQ.objects.all().delete()
        scheduler()
        [fire] = messages()
        titles.append(Run.objects.get(pk=fire()).title)
        assert titles[-1] == f"nightly, {at:%Y-%m-%d %H:%M}"
    assert Run.objects.count() == 2


def test_what_was_missed_is_made_good_by_one_firing_and_the_next_is_after_now() -> None:
    schedule("nightly", "report", minutes=10)
    at = due("nightly", timedelta(minutes=95))
    [planned] = all_schedules()
    assert planned.firings[:2] == [at, at + timedelta(minutes=100)]
    scheduler()
    assert len(messages()) == 1
    [planned] = all_schedules()
    assert planned.firings == [at + timedelta(minutes=minutes) for minutes in (100, 110, 120)]
    scheduler()
    assert len(messages()) == 1


def test_a_cron_schedule_tells_its_next_firings() -> None:
    planned = schedule("nightly", "report@1", cron=" 30 6  * * * ")
    now = timezone.now()
    first = now.replace(hour=6, minute=30, second=0, microsecond=0)
    first += timedelta(days=1) if first <= now else timedelta(0)
    assert planned.firings == [first + timedelta(days=days) for days in range(3)]
    assert (planned.cron, planned.minutes, planned.script) == ("30 6 * * *", None, "report@1")
    due("nightly")
    assert all_schedules()[0].firings[1:] == [first, first + timedelta(days=1)]


def test_a_name_is_the_newest_version_at_the_time_of_the_firing() -> None:
    schedule("nightly", "report", minutes=60)
    schedule("pinned", "report@1", minutes=60)
    library.save("report", "export default async () => 2")
    due("nightly")
    due("pinned")
    scheduler()
    started = [Run.objects.get(pk=fire()) for fire in messages()]
    assert {run.title.partition(",")[0]: str(run.script_version) for run in started} == {
        "nightly": "report@2",
        "pinned": "report@1",
    }


def test_the_same_name_again_replaces_and_keeps_the_next_firing_while_the_times_stay() -> None:
    first = schedule("nightly", "report", minutes=60, input=1)
    again = schedule("nightly", "report@1", minutes=60, input=2)
    assert again.firings == first.firings
    assert (again.script, again.input) == ("report@1", 2)
    other = schedule("nightly", "report", cron="0 0 * * *")
    assert other.firings != first.firings
    assert Schedule.objects.count() == 1


def test_a_removed_schedule_fires_no_more() -> None:
    schedule("nightly", "report", minutes=60)
    assert unschedule("nightly").name == "nightly"
    scheduler()
    assert messages() == []
    with pytest.raises(UnknownSchedule, match="showschedules"):
        unschedule("nightly")


def test_a_firing_whose_script_is_gone_says_so_and_is_kept_as_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    schedule("nightly", "report", minutes=60)
    due("nightly")
    scheduler()
    [fire] = messages()
    library.Script.objects.all().delete()
    with caplog.at_level(logging.ERROR), pytest.raises(library.UnknownScript), transaction.atomic():
        fire()
    assert "the firing of schedule nightly at" in caplog.text
    assert "no script of that name" in caplog.text


@pytest.mark.parametrize(
    ("name", "script", "fields", "says"),
    [
        ("", "report", {"minutes": 1}, "no name of a schedule"),
        ("A b", "report", {"minutes": 1}, "no name of a schedule"),
        ("n", "nothing", {"minutes": 1}, "no script of that name"),
        ("n", "report@9", {"minutes": 1}, "the newest version is report@1"),
        ("n", "report", {}, "either a cron line or"),
        ("n", "report", {"minutes": 1, "cron": "* * * * *"}, "either a cron line or"),
        ("n", "report", {"minutes": 0}, "from 1 to 32767, not 0"),
        ("n", "report", {"minutes": 40_000}, "from 1 to 32767"),
        ("n", "report", {"minutes": 1.5}, "from 1 to 32767"),
        ("n", "report", {"cron": "0 0 30 2 *"}, "never fires"),
        ("n", "report", {"minutes": 1, "input": float("nan")}, "NaN"),
        ("n", "report", {"minutes": 1, "queue": "fast"}, "interactive, background"),
        ("n", "report", {"minutes": 1, "title": "x" * 201}, "the most is 200"),
    ],
)
def test_what_cannot_fire_is_refused(name: str, script: str, fields: dict[str, Any], says: str) -> None:
    with pytest.raises(Refused, match=says):
        schedule(name, script, **fields)
    assert not Schedule.objects.exists()


def test_a_refused_change_leaves_the_schedule_as_it_was() -> None:
    before = schedule("nightly", "report", minutes=60)
    with pytest.raises(BadInput):
        schedule("nightly", "report", cron="nonsense")
    assert all_schedules() == [before]


def test_schedules_of_others_are_left_alone() -> None:
    Schedule.objects.create(
        func="math.copysign", name="nightly", args="2, -2", next_run=datetime(2030, 1, 1, tzinfo=UTC)
    )
    schedule("nightly", "report", minutes=60)
    assert [one.script for one in all_schedules()] == ["report"]
    unschedule("nightly")
    assert Schedule.objects.get().func == "math.copysign"
