"""Schedules in the admin: in words, with firings and runs; changed by `runs.schedules`, refused beside the field."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from django_q.models import Schedule

from runs import library
from runs.models import Run
from runs.schedules import TASK, all_schedules, find, fire, schedule
from runs.starting import start

pytestmark = pytest.mark.django_db
BrowserOf = Callable[..., Client]
SCRIPT = "export default async (input) => input"
GIVEN = {"name": "nightly", "script": "report", "cron": "30 6 * * mon-fri", "queue": "background", "input": '{"a": 1}'}


@pytest.fixture(autouse=True)
def report(db: None) -> None:
    library.save("report", SCRIPT)


def fired(name: str) -> Run:
    at = datetime(2026, 1, 1, 6, 30, tzinfo=UTC).isoformat()
    return fire(name=name, script="report", input="null", queue="background", title="", planned=at).run


def test_the_list_says_each_in_words_with_its_next_firings(browser_of: BrowserOf) -> None:
    schedule("nightly", "report@1", cron="30 6 * * mon-fri")
    schedule("poll", "report", minutes=90)
    Schedule.objects.create(name="theirs", func="math.floor", schedule_type=Schedule.ONCE)
    Schedule.objects.filter(name="poll").update(next_run=timezone.now() - timedelta(minutes=1))
    html = browser_of("view_run").get("/admin/schedules/").content.decode()
    assert "at 06:30 on Monday to Friday" in html
    assert "every 1 h 30 min" in html
    assert html.count("data-moment") == 6
    assert html.count("due since") == 1
    assert "theirs" not in html
    assert "/admin/schedules/add/" not in html


def test_a_schedule_shows_the_runs_that_it_has_started_and_no_others(browser_of: BrowserOf) -> None:
    schedule("nightly", "report", minutes=90)
    run, other = fired("nightly"), start(SCRIPT, title="Another").run
    html = browser_of("view_run").get("/admin/schedules/nightly/change/").content.decode()
    assert f"/runs/{run.pk}/" in html
    assert other.pk not in html
    starter = browser_of("start_run", name="starter").get("/admin/schedules/nightly/change/").content.decode()
    assert run.pk not in starter
    assert "None that you may see." in starter
    listed = browser_of("view_run", name="lister").get("/admin/runs/run/?schedule=nightly").content.decode()
    assert "/admin/runs/run/?schedule=nightly" in html
    assert run.pk in listed
    assert other.pk not in listed


def test_one_is_added_and_written_down(browser_of: BrowserOf) -> None:
    answer = browser_of("start_run").post("/admin/schedules/add/", GIVEN | {"reason": "asked for"})
    assert answer.headers["Location"] == "/admin/schedules/nightly/change/"
    planned = find("nightly")
    assert (planned.script, planned.cron, planned.input) == ("report", "30 6 * * mon-fri", {"a": 1})
    entry = LogEntry.objects.get()
    assert (entry.object_repr, entry.action_flag) == ("nightly", ADDITION)
    assert (entry.user.get_username(), entry.get_change_message()) == ("olga", "added: asked for")


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"cron": "61 6 * * *"}, "cron", "is no cron line"),
        ({"cron": "0 0 30 2 *"}, "cron", "never fires: there is no such day"),
        ({"cron": "@reboot"}, "cron", "is no cron line: there are @hourly"),
        ({"cron": "30 6 * *"}, "cron", "it has 4 fields; write five"),
        ({"cron": ""}, "cron", "Neither is given"),
        ({"minutes": "5"}, "cron", "Both are given"),
        ({"cron": "", "minutes": "0"}, "minutes", "greater than or equal to 1"),
        ({"cron": "", "minutes": "40000"}, "minutes", "less than or equal to 32767"),
        ({"script": "nothing"}, "script", "The library has no script of that name"),
        ({"script": "report@9"}, "script", "the newest version is report@1"),
        ({"name": "No Name"}, "name", "is no name of a schedule"),
        ({"name": "taken"}, "name", "There is a schedule “taken” already"),
        ({"input": "{"}, "input", ""),
        ({"queue": "fast"}, "queue", "not one of the available choices"),
    ],
)
def test_what_is_odd_is_refused_beside_its_field_and_kept_in_it(
    browser_of: BrowserOf, changes: dict[str, str], field: str, reason: str
) -> None:
    schedule("taken", "report", minutes=5)
    answer = browser_of("start_run").post("/admin/schedules/add/", GIVEN | changes)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert list(form.errors) == [field]
    assert reason in form.errors[field][0]
    assert form[field].value() == (GIVEN | changes)[field]
    assert [planned.name for planned in all_schedules()] == ["taken"]
    assert not LogEntry.objects.exists()


def test_a_change_keeps_the_next_firing_where_the_times_stay(browser_of: BrowserOf) -> None:
    before = schedule("nightly", "report", cron="30 6 * * *", input=[1], title="Old")
    browser = browser_of("start_run")
    form = browser.get("/admin/schedules/nightly/change/").context["form"]
    fields = {name: form[name].value() or "" for name in ("script", "cron", "minutes", "title", "queue", "input")}
    assert browser.post("/admin/schedules/nightly/change/", fields | {"title": "New"}).status_code == 302
    after = find("nightly")
    assert (after.title, after.input, after.firings) == ("New", [1], before.firings)
    assert LogEntry.objects.get().action_flag == CHANGE


def test_one_is_removed_once_that_is_confirmed_and_its_runs_stay(browser_of: BrowserOf) -> None:
    schedule("nightly", "report", minutes=90)
    run, browser = fired("nightly"), browser_of("start_run")
    assert browser.get("/admin/schedules/nightly/remove/").status_code == 200
    assert find("nightly")
    answer = browser.post("/admin/schedules/nightly/remove/", {"reason": "moved"}, follow=True)
    assert "Removed the schedule nightly." in answer.content.decode()
    assert all_schedules() == []
    assert Run.objects.filter(pk=run.pk).exists()
    entry = LogEntry.objects.get()
    assert (entry.action_flag, entry.get_change_message()) == (DELETION, "removed: moved")
    assert browser.post("/admin/schedules/nightly/remove/").status_code == 404


def test_who_may_not_start_runs_changes_nothing(browser_of: BrowserOf) -> None:
    schedule("nightly", "report", minutes=90)
    reader, nobody = browser_of("view_run"), browser_of(name="nobody")
    assert (
        nobody.get("/admin/schedules/").status_code == nobody.get("/admin/schedules/nightly/change/").status_code == 403
    )
    assert reader.get("/admin/schedules/nightly/change/").status_code == 200
    for address in ("add/", "nightly/change/", "nightly/remove/"):
        assert reader.post(f"/admin/schedules/{address}", GIVEN | {"name": "other"}).status_code == 403
    plain = Client()
    plain.force_login(User.objects.create_user("plain"))
    assert plain.post("/admin/schedules/nightly/remove/").status_code == 302
    assert [planned.minutes for planned in all_schedules()] == [90]


def test_the_list_of_django_q2_has_only_what_is_not_ours(browser_of: BrowserOf) -> None:
    schedule("nightly", "report", minutes=90)
    theirs = Schedule.objects.create(name="theirs", func="math.floor", schedule_type=Schedule.ONCE)
    root = browser_of("all")
    html = root.get("/admin/django_q/schedule/").content.decode()
    assert "theirs" in html
    assert "nightly" not in html
    ours = Schedule.objects.get(func=TASK)
    answer = root.get(f"/admin/django_q/schedule/{ours.pk}/change/")
    assert answer.headers["Location"] == "/admin/schedules/nightly/change/"
    assert root.get(f"/admin/django_q/schedule/{theirs.pk}/change/").status_code == 200


def test_a_schedule_of_ours_cannot_be_made_by_hand(browser_of: BrowserOf) -> None:
    given: dict[str, Any] = {"name": "mine", "func": TASK, "schedule_type": "I", "minutes": "5", "repeats": "-1"}
    answer = browser_of("all").post("/admin/django_q/schedule/add/", given)
    assert "add such a schedule under Schedules" in answer.content.decode()
    assert not Schedule.objects.exists()
