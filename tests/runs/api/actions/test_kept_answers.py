"""An answer that was kept is given again as long as its run may be seen."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import ECHO, done, had_failed, refused, told, waiting

from runs.access import Verb
from runs.api.caller import Caller
from runs.models import ApiRequest, Run
from runs.pruning import delete_tree

pytestmark = pytest.mark.django_db(transaction=True)


def given_away(run_id: str, to: Caller) -> None:
    Run.objects.filter(pk=run_id).update(owner=to.user)


@pytest.mark.parametrize(
    ("name", "fields"),
    [("SignalRun", {"name": "go"}), ("CancelRun", {}), ("RetryRun", {}), ("ForkRun", {"call": 2})],
)
def test_who_may_not_see_the_run_any_more_is_told_of_none(
    owner: Caller, caller: Callable[..., Caller], caplog: pytest.LogCaptureFixture, name: str, fields: dict[str, Any]
) -> None:
    run = waiting(owner) if name in ("SignalRun", "CancelRun") else had_failed(owner)
    asked = {**fields, "runId": run.pk, "clientRequestId": "monday"}
    first = told(owner, name, **asked)
    assert told(owner, name, **asked) == first
    given_away(run.pk, caller("bob"))
    assert refused(owner, name, 404, **asked).code == "unknown-run"
    assert f"verb={Verb.VIEW} run={run.pk}" in caplog.text
    assert ApiRequest.objects.count() == 1


def test_a_run_that_was_started_and_given_away_is_told_to_nobody_else(
    owner: Caller, caller: Callable[..., Caller]
) -> None:
    asked = {"source": ECHO, "clientRequestId": "monday"}
    run_id = done(owner, "StartRun", **asked)["run"]["id"]
    given_away(run_id, caller("bob"))
    assert refused(owner, "StartRun", 404, **asked).code == "unknown-run"
    assert Run.objects.count() == 1


def test_the_answer_stays_when_its_run_was_deleted_and_no_other_is_started(owner: Caller) -> None:
    run = waiting(owner)
    asked = {"runId": run.pk, "reason": "ordered twice", "clientRequestId": "monday"}
    first = told(owner, "CancelRun", **asked)
    delete_tree(Run.objects.get(pk=run.pk), lambda _tree: None)
    assert told(owner, "CancelRun", **asked) == first
