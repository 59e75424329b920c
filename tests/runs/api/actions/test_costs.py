"""What each action asks the database: bounded, and not more for a large run or a long list."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import ECHO, done, had_failed
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.api.actions import ACTIONS
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
# What is asked of a run that has failed -> the most statements; transactions and savepoints are not counted.
COSTS: dict[str, tuple[dict[str, Any], int]] = {
    "StartRun": ({"source": ECHO}, 8),
    "GetRun": ({"runId": ...}, 1),
    "ListRuns": ({}, 4),
    "GetRunJournal": ({"runId": ...}, 2),
    "SignalRun": ({"runId": ..., "name": "go"}, 10),
    "CancelRun": ({"runId": ...}, 14),
    "RetryRun": ({"runId": ...}, 20),
    "ForkRun": ({"runId": ..., "call": 2}, 20),
    "LintScript": ({"source": ECHO}, 0),
    "DryReplay": ({"runId": ..., "verb": "retry"}, 6),
    "ListTools": ({}, 0),
}


@pytest.fixture
def vera(db: None) -> Caller:
    """Whose permissions cost no statement."""
    ContentType.objects.get_for_model(Run)
    return Caller(User.objects.create_superuser("vera"), Role.OWNER, "token vera", 1)


def cost(ask: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as queries:
        ask()
    bounds = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
    return sum(not query["sql"].startswith(bounds) for query in queries.captured_queries)


def test_every_action_has_its_bound() -> None:
    assert set(COSTS) == set(ACTIONS)


@pytest.mark.parametrize("name", COSTS)
def test_an_action_asks_no_more_than_that(vera: Caller, name: str) -> None:
    fields, most = COSTS[name]
    waits = name in ("SignalRun", "CancelRun")
    run = start(ECHO, owner=vera.user).run if waits else had_failed(vera)
    given = {field: run.pk if value is ... else value for field, value in fields.items()}
    assert cost(lambda: done(vera, name, **given)) <= most


def test_a_long_list_costs_what_a_short_one_does(vera: Caller) -> None:
    costs = []
    for count in (1, 30):
        for _ in range(count):
            start(ECHO, owner=vera.user)
        costs.append(cost(lambda: done(vera, "ListRuns", limit=200)))
    assert costs[0] == costs[1]
