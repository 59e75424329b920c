"""Who did what to a run, and why: written once, read back, whoever did it."""

import io
from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client
from django_q.models import Schedule
from plans import asked, plan

from runs.audit import SHELL, deeds, deeds_of_other, record, record_all
from runs.models import Message, Run, Script
from runs.starting import start

pytestmark = pytest.mark.django_db
SOURCE = "export default async function (input, ctx) { return await ctx.waitForEvent({}) }"


@pytest.fixture
def run() -> Run:
    return start(SOURCE, title="Greeting").run


@pytest.fixture
def vera() -> User:
    return User.objects.create_user("vera")


def test_a_deed_says_who_what_and_why(run: Run, vera: User) -> None:
    record(vera, run, "retry", "the bank\nis back", attempt=2, call=4)
    record(vera, start(SOURCE).run, "cancel")
    [deed] = deeds(run)
    assert (deed.who, deed.verb, deed.reason) == ("vera", "retry", "the bank\\nis back")
    assert deed.facts == {"attempt": 2, "call": 4}
    assert deed.words == "vera: retry (the bank\\nis back), attempt 2, call 4"
    assert deed.as_dict()["at"] == LogEntry.objects.get(object_id=run.pk).action_time.isoformat()


def test_the_newest_come_first_and_so_many_as_asked_for(run: Run, vera: User) -> None:
    for verb in ("signal", "cancel", "retry"):
        record(vera, run, verb)
    assert [deed.verb for deed in deeds(run, newest=2)] == ["retry", "cancel"]
    assert deeds(run)[0].reason == ""


def test_a_command_is_of_a_user_who_cannot_sign_in(run: Run) -> None:
    record(None, run, "cancel", "by hand")
    [deed] = deeds(run)
    assert (deed.who, deed.reason) == (SHELL, "by hand")
    assert deed.facts["shell"]
    user = User.objects.get(username=SHELL)
    assert not user.is_active
    assert not user.has_usable_password()
    record(None, run, "cancel")
    assert User.objects.filter(username=SHELL).count() == 1


def test_a_batch_is_one_statement(vera: User) -> None:
    runs = [start(SOURCE).run for _ in range(5)]
    record(vera, runs[0], "warm up")
    record_all(vera, runs, "cancel", "all of them", bulk="b1")
    assert [deeds(run)[0].facts for run in runs] == [{"bulk": "b1"}] * 5


def test_what_others_have_written_about_a_run_is_told_too(run: Run, vera: User) -> None:
    record(vera, run, "cancel")
    LogEntry.objects.update(change_message='[{"changed": {"fields": ["Title"]}}]\n{')
    assert deeds(run)[0].who == "vera"


def test_the_deeds_of_a_run_are_found_by_an_index(run: Run, vera: User) -> None:
    record(vera, run, "cancel")
    with asked() as queries:
        deeds(run)
    assert any("runs_deeds" in plan(sql, params) for sql, params in queries if "django_admin_log" in sql)


def test_every_operators_command_is_recorded_with_its_reason(run: Run) -> None:
    out = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    call_command("signalrun", run.pk, "go", "--reason", "it may go", **out)
    call_command("cancelrun", run.pk, "--reason", "no more", **out)
    assert [(deed.verb, deed.reason) for deed in deeds(run)] == [("cancel", "no more"), ("signal", "it may go")]
    assert deeds(run)[1].facts["signal"] == "go"


VERBS: dict[str, tuple[str, dict[str, str]]] = {
    "signal": ("signal/", {"name": "go", "once": "a1"}),
    "cancel": ("cancel/", {"reason": "no more"}),
}


@pytest.mark.parametrize("verb", VERBS)
def test_what_cannot_be_written_down_is_not_done(run: Run, verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = Client(raise_request_exception=False)
    browser.force_login(User.objects.create_superuser("root"))

    def full(*_: object, **__: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(LogEntry.objects, "bulk_create", full)
    path, form = VERBS[verb]
    assert browser.post(f"/runs/{run.pk}/{path}", form).status_code >= 500
    assert Run.objects.get(pk=run.pk).status == "queued"
    assert not Message.objects.exists()


def test_scripts_and_schedules_that_a_command_changes_are_written_down_once(tmp_path: Path) -> None:
    file = tmp_path / "report.js"
    file.write_text(SOURCE)
    out = {"stdout": io.StringIO(), "stderr": io.StringIO()}
    for _ in range(2):  # the same content is the same version
        call_command("savescript", "report", str(file), "--reason", "asked for", **out)
    for every in ("60", "90"):
        call_command("schedulescript", "hourly", "report", "--every", every, **out)
    row = Schedule.objects.get(name="hourly")
    assert [(deed.who, deed.verb) for deed in deeds_of_other(row)] == [(SHELL, "changed"), (SHELL, "added")]
    [saved] = deeds_of_other(Script.objects.get())
    assert (saved.who, saved.verb, saved.reason) == (SHELL, "saved report@1", "asked for")
    call_command("schedulescript", "hourly", "--remove", **out)
    assert LogEntry.objects.latest("pk").is_deletion()
