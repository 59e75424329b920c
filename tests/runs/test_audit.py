"""Who did what to a run, and why: written once, read back, whoever did it."""

import io

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from plans import asked, plan

from runs.audit import SHELL, deeds, record, record_all
from runs.models import Run
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
