"""Statistics over the newest runs: what is counted, how long runs took, and how far was looked."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from runs.ids import new_id
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start
from runs.vitals import stats as module
from runs.vitals.stats import NO_SCRIPT, counts, percentile, stats

pytestmark = pytest.mark.django_db(transaction=True)
SOURCE = "export default () => 1"


def ended(seconds: float, code: str = "") -> Run:
    run = start(SOURCE).run
    began = timezone.now()
    move(Run.objects.filter(pk=run.pk), Move.CLAIM, lease_until=began, started_at=began)
    name = Move.FAIL if code else Move.SUCCEED
    move(Run.objects.filter(pk=run.pk), name, error_code=code)
    Run.objects.filter(pk=run.pk).update(finished_at=began + timedelta(seconds=seconds))
    return run


@pytest.mark.parametrize(
    ("values", "share", "right"),
    [([], 0.5, None), ([7], 0.95, 7), ([1, 2, 3, 4], 0.5, 2), ([3, 1, 2], 0.5, 2), (list(range(1, 101)), 0.95, 95)],
)
def test_a_percentile_is_one_of_the_values(values: list[float], share: float, right: float | None) -> None:
    assert percentile(values, share) == right


def test_runs_are_counted_by_script_status_and_error() -> None:
    for seconds in (1, 2, 30):
        ended(seconds)
    ended(5, "timeout")
    start(SOURCE)
    found = stats(1)
    assert (found.runs, found.complete) == (5, True)
    assert dict(found.statuses) == {"succeeded": 3, "failed": 1, "queued": 1}
    assert dict(found.errors) == {"timeout": 1}
    of = found.scripts[NO_SCRIPT]
    assert (of.runs, of.failed) == (5, 1)
    assert sorted(found.seconds) == [1, 2, 5, 30]
    told: dict[str, Any] = {status: count.number for status, count in counts().items() if count.number}
    assert told == {"succeeded": 3, "failed": 1, "queued": 1}


def test_older_runs_are_left_out_and_a_look_that_ends_early_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH", 2)
    for _ in range(5):
        start(SOURCE)
    assert (stats(1).runs, stats(1).complete) == (5, True)
    early = stats(1, most=3)
    assert (early.runs, early.complete) == (3, False)
    assert early.reached is not None
    out_of_time = stats(1, seconds=0)
    assert (out_of_time.runs, out_of_time.complete) == (2, False)
    assert new_id() > Run.objects.latest("pk").pk
    assert stats(-1).runs == 0
