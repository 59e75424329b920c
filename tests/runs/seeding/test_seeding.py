"""Made runs: rows that the database takes, journals that replay, and a second go that makes only what is missing."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from journal.models import RunJournal
from runs import clock
from runs.lifecycle import TERMINAL, Status
from runs.models import Run
from runs.operations import retry, rewind
from runs.reading.calls import ctx_calls
from runs.seeding import plan, seed
from runs.seeding.making import BATCH
from runs.seeding.stories import stories

pytestmark = pytest.mark.django_db


@pytest.fixture
def made() -> None:
    seed(plan(300), with_entries=True)


def test_there_are_as_many_as_were_asked_for_and_a_second_go_makes_none(made: None) -> None:
    assert Run.objects.count() == 300
    again = plan(300)
    assert (again.there, again.missing) == (300, 0)
    assert seed(again).runs == 0
    more = plan(300 + BATCH)
    assert [size for _, size in more.batches] == [BATCH, 300]


def test_more_are_made_beside_a_smaller_number_and_beside_what_a_pruning_has_left(made: None) -> None:
    seed(plan(400))
    assert Run.objects.count() == 700
    Run.objects.filter(idempotency_key__startswith="seedruns").update(idempotency_key=None)
    seed(plan(400))
    assert Run.objects.count() == 1100


def test_a_batch_that_was_cut_short_leaves_nothing_and_is_made_by_the_next_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runs.seeding.making.BATCH", 100)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        seed(plan(300), told=stop)
    assert Run.objects.count() == 100
    assert (plan(300).there, plan(300).missing) == (100, 200)
    seed(plan(300))
    assert Run.objects.count() == 300


def test_the_database_takes_what_was_made(made: None) -> None:
    connection.check_constraints()
    statuses = set(Run.objects.values_list("status", flat=True))
    assert statuses == {*TERMINAL, Status.WAITING} - {Status.IMPORTED}
    assert Run.objects.filter(parent__isnull=False, root__parent=None).exists()
    assert Run.objects.filter(schedule__startswith="seed-", script__name="seed-report").exists()
    assert Run.objects.filter(failed_tool="http.request", error_code="tool-error").exists()
    assert set(Run.objects.values_list("waits_on", flat=True)) == {"", "signal", "timer"}
    for run in Run.objects.select_related("journal"):
        assert run.journal.next_seq - 1 == RunJournal.objects.filter(run_id=run.pk).count()


def test_nobody_has_anything_to_do_with_them(made: None) -> None:
    assert not clock.tick()


def test_their_journals_replay(made: None) -> None:
    failed = Run.objects.filter(error_code="tool-error").first()
    assert failed is not None
    done = retry(failed.pk, dry_run=True)
    assert done.replay is not None
    assert [call.what for call in done.replay.new] == ["http.request"]
    for script in ("seed-batch", "seed-report", "seed-approval"):
        run = Run.objects.filter(script__name=script, status__in=[*TERMINAL, Status.WAITING]).first()
        assert run is not None
        told = rewind(run.pk, 1, dry_run=True).replay
        assert told is not None
        assert not told.diverged


def test_a_tree_names_its_children_in_its_journal(made: None) -> None:
    parent = Run.objects.filter(script__name="seed-batch").first()
    assert parent is not None
    calls = ctx_calls(RunJournal.objects.filter(run_id=parent.pk).order_by("seq"))
    children = dict(Run.objects.filter(parent=parent).values_list("parent_call_seq", "pk"))
    assert {call.call_seq: call.child_id for call in calls} == children
    assert len(children) > 1


def test_they_open_on_the_pages(made: None) -> None:
    browser = Client()
    browser.force_login(User.objects.create_superuser("vera"))
    assert browser.get("/runs/").status_code == 200
    seen: set[Any] = set()
    for run in Run.objects.all():
        if (kind := (run.script_id, run.status, run.error_code)) not in seen:
            seen.add(kind)
            assert browser.get(f"/runs/{run.pk}/").status_code == 200
    assert len(seen) > 6


def test_the_same_stories_every_time() -> None:
    one, other = stories.__wrapped__(3, each=8), stories.__wrapped__(3, each=8)
    assert [story.input for _, story in one] == [story.input for _, story in other]
    assert {story.status for _, story in one} == {*TERMINAL, Status.WAITING} - {Status.IMPORTED}


def test_the_connection_is_afterwards_as_it_was_before() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL needs no room of its own")
    before = pragmas()
    seed(plan(20))
    assert pragmas() == before


def pragmas() -> list[int]:
    with connection.cursor() as cursor:
        names = ("cache_size", "wal_autocheckpoint", "synchronous")
        return [int(cursor.execute(f"PRAGMA {name}").fetchone()[0]) for name in names]
