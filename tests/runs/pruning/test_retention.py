"""Retention: what scripts and the setting say is kept to, in bounded goes, by a schedule that is there when needed."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ImproperlyConfigured
from django_q.models import Schedule
from growing import SCRIPT, left, old

from runs import library, schedules, tasks
from runs.conf import conf
from runs.models import Run, Script
from runs.pruning import retention

pytestmark = pytest.mark.django_db


@pytest.fixture
def days(settings: Any) -> Any:
    """Sets DAYBOOK_RETENTION_DAYS."""

    def say(number: int) -> None:
        settings.DAYBOOK = {**settings.DAYBOOK, "retention_days": number}

    return say


def kept(name: str, days: int | None, *, failed: bool = False) -> Script:
    script = library.save(name, SCRIPT).script
    Script.objects.filter(pk=script.pk).update(keep_days=days, keep_failed=failed)
    return script


def of(script: Script, days: float, **fields: Any) -> Run:
    return old(days, script=script, **fields)


def test_it_is_off_by_default() -> None:
    old(5000)
    of(kept("report", None), 5000)
    assert conf().retention_days == 0
    assert tasks.retain() == 0
    retention.keep_schedule()
    assert not Schedule.objects.exists()


def test_each_script_is_kept_as_it_says_and_the_others_as_the_setting_says(days: Any) -> None:
    days(30)
    short, long, ever, silent = (kept(name, said) for name, said in zip("abcd", (7, 90, 0, None), strict=True))
    gone = [of(short, 8), of(long, 91), of(silent, 31), old(31)]
    stay = [of(short, 6), of(long, 89), of(ever, 900), of(silent, 29), old(29)]
    assert tasks.retain() == len(gone)
    assert left() == {run.pk for run in stay}


def test_a_copy_that_was_imported_stays_however_long_ago_its_run_has_ended(days: Any) -> None:
    days(30)
    copy = old(400, status="imported")
    old(400)
    assert tasks.retain() == 1
    assert left() == {copy.pk}


def test_those_that_failed_are_kept_where_the_script_says_so() -> None:
    strict, lenient = kept("a", 7), kept("b", 7, failed=True)
    stays = of(lenient, 8, status="failed")
    of(strict, 8, status="failed")
    of(lenient, 8)
    assert tasks.retain() == 2
    assert left() == {stays.pk}


def test_a_firing_stops_in_time_and_the_next_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    script = kept("report", 7)
    for _ in range(6):
        of(script, 8)
    assert retention.fire(seconds=-1).runs == 0
    moments = iter([0, 0, 0, 100])  # the beginning, and before each batch
    monkeypatch.setattr(retention.time, "monotonic", lambda: next(moments))
    assert retention.fire(seconds=50).runs == 4
    monkeypatch.undo()
    assert retention.fire().runs == 2
    assert [entry.change_message.partition("\n")[0] for entry in LogEntry.objects.all()] == ["prune: retention"] * 3


def test_the_schedule_comes_once_and_goes_again(days: Any) -> None:
    days(30)
    retention.keep_schedule()
    retention.keep_schedule()
    (row,) = Schedule.objects.all()
    assert (row.name, row.func, row.repeats) == ("daybook retention", "runs.tasks.retain", -1)
    assert schedules.all_schedules() == []
    days(0)
    retention.keep_schedule()
    assert not Schedule.objects.exists()
    kept("report", 7)
    retention.keep_schedule()
    assert Schedule.objects.count() == 1


def test_a_number_below_zero_is_no_setting(days: Any) -> None:
    days(-1)
    with pytest.raises(ImproperlyConfigured, match="retention_days"):
        conf()
