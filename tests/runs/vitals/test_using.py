"""How tools and agents are used: counted over the newest runs that somebody may see, and it says how far that is."""

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from journal import bodies, store
from journal.entries import Entry
from runs.lifecycle import Status
from runs.models import Run
from runs.starting import start
from runs.vitals import Use, usage

pytestmark = pytest.mark.django_db
SOURCE = "export default async function (input, ctx) { return input }"
BUSY = {"code": "busy", "message": "all lines are busy", "retryable": True, "detail": None}


@pytest.fixture
def vera() -> User:
    return User.objects.create_superuser("vera")


def lived(*told: dict[str, Any], owner: User | None = None) -> Run:
    run = start(SOURCE, owner=owner).run
    store.append(run.journal_id, 0, [Entry.of(seq, 1000 + seq, body) for seq, body in enumerate(told, 1)])
    return run


def called(tool: str, *, ok: bool = True) -> list[dict[str, Any]]:
    return [bodies.call(1, tool, {}, 3, None), bodies.result(1, "k", ok, 1 if ok else BUSY)]


def test_calls_are_counted_by_tool_and_by_what_came_of_them(vera: User) -> None:
    lived(*called("phone"))
    lived(*called("phone", ok=False))
    lived(bodies.call(1, "phone", {}, 3, None))
    lived(*called("mail"))
    lived(bodies.delegate(1, {"agent": "triage", "input": {}}, None, 4, None))
    lived(bodies.delegate(1, {"script": SOURCE, "input": {}}, None, 4, None))
    lived(bodies.timer(1, 5000, 9000, 4))
    found = usage(vera)
    assert found.tools["phone"] == Use(calls=3, failed=1, out=1, again=0, codes=Counter(busy=1))
    assert found.tools["phone"].rate == 0.5
    assert set(found.tools) == {"mail", "phone"}
    assert found.agents == {"triage": Use(calls=1, out=1)}
    assert (found.runs, found.complete) == (7, True)


def test_a_call_that_was_tried_again_counts_once_by_its_end(vera: User) -> None:
    told = [bodies.call(1, "phone", {}, 3, None), bodies.backoff(1, "k", 2000, 1, BUSY)]
    lived(*told)
    lived(*told, bodies.fired(1, "k", 0, 1), bodies.result(1, "k", True, 1))
    assert usage(vera).tools["phone"] == Use(calls=2, out=1, again=1)


def test_what_an_attempt_has_left_behind_has_happened(vera: User) -> None:
    run = lived(*called("phone", ok=False))
    store.supersede(run.pk, [1, 2], attempt=2)
    assert usage(vera).tools["phone"].failed == 1


def test_what_a_copy_called_was_called_elsewhere(vera: User) -> None:
    lived(*called("phone"))
    copy = lived(*called("phone", ok=False))
    Run.objects.filter(pk=copy.pk).update(status=Status.IMPORTED, imported={}, finished_at=copy.created_at)
    found = usage(vera)
    assert (found.tools["phone"], found.complete) == (Use(calls=1), True)


def test_it_says_how_far_it_has_looked(vera: User, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = sorted((lived(*called("phone")) for _ in range(5)), key=lambda run: run.pk)  # some are of one millisecond
    monkeypatch.setattr("runs.vitals.using._BATCH", 2)
    all_of_them = usage(vera)
    assert (all_of_them.runs, all_of_them.complete, all_of_them.tools["phone"].calls) == (5, True, 5)
    few = usage(vera, most=3)
    assert (few.runs, few.complete, few.since) == (3, False, runs[2].created_at)
    short = usage(vera, seconds=0)
    assert (short.runs, short.complete, short.tools["phone"].calls) == (2, False, 2)


def test_only_runs_that_the_user_may_see_are_counted() -> None:
    bob = User.objects.create_user("bob")
    lived(*called("phone"))
    lived(*called("mail"), owner=bob)
    found = usage(bob)
    assert (list(found.tools), found.runs, found.complete) == (["mail"], 1, True)


def test_a_batch_is_two_queries(vera: User) -> None:
    for _ in range(4):
        lived(*called("phone"))
    with CaptureQueriesContext(connection) as asked:
        usage(vera)
    assert len(asked) == 2
