"""What a successor, a fork and a child have from the run that they come from, field by field."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from runs import library, queue
from runs.family import continued, make_children
from runs.host import NewChild, Parked
from runs.models import ConcurrencyKey, Run
from runs.operations import fork, rewind
from runs.starting import start
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db(transaction=True)
WORK = ["kind", "agent", "source", "script_version", "script", "title", "owner", "origin", "budget", "max_attempts"]
TURN = ["queue", "priority", "concurrency_key", "concurrency_limit"]
PLACE = ["parent", "parent_call_seq", "parent_step", "root", "depth", "chain"]
CHAIN = ["schedule"]
# Of each run its own, whatever it comes from.
OWN = [
    *("id", "journal", "input", "idempotency_key", "continued_from", "forked_from", "status", "output", "error"),
    *("successor", "imported"),
    *(
        "failed_tool",
        "signs",
        "waits_on",
        "error_code",
        "wait",
        "plan",
        "progress",
        "attempt",
        "cancel_requested_at",
        "cancel_reason",
        "held_back",
    ),
    *("fence", "worker", "lease_until", "wake_at", "deadline_at", "crashes", "crashed_at_seq", "created_at"),
    *("updated_at", "queued_at", "started_at", "finished_at"),
]
SCRIPT = "export default async (input, ctx) => [await ctx.now(), await ctx.sleep(600000)]"


@pytest.fixture
def run() -> Run:
    """One that differs from the defaults in every field of WORK, TURN and PLACE but its kind."""
    owner = User.objects.create(username="owner")
    root = start(SCRIPT).run
    library.save("kept", SCRIPT)
    version = library.find("kept")
    made = start(
        SCRIPT, title="Kept", owner=owner, origin="schedule", budget={"wallSeconds": 500, "cpuMs": 7}, max_attempts=4,
        queue="background", priority=3, concurrency_key="K", concurrency_limit=2, script_version=version,
        schedule="nights",
    ).run  # fmt: skip
    place: dict[str, Any] = {"parent": root, "root": root, "parent_call_seq": 7, "depth": 1, "chain": root.pk}
    Run.objects.filter(pk=made.pk).update(agent="a", parent_step={"id": "s1", "label": "L"}, **place)
    return Run.objects.get(pk=made.pk)


def same(name: str, one: Run, other: Run) -> None:
    attname = Run._meta.get_field(name).attname
    assert getattr(one, attname) == getattr(other, attname), name


def test_every_field_is_kept_or_is_of_each_run_its_own() -> None:
    assert sorted(WORK + TURN + PLACE + CHAIN + OWN) == sorted(field.name for field in Run._meta.fields)


def test_the_run_of_these_tests_differs_from_a_new_one_wherever_something_can_be_lost(run: Run) -> None:
    plain = start("export default () => 1").run
    for name in {*WORK, *TURN, *PLACE, *CHAIN} - {"kind"}:
        attname = Run._meta.get_field(name).attname
        assert getattr(run, attname) != getattr(plain, attname), name


def successor_of(run: Run) -> Run:
    (held,) = queue.claim("here", only=run.pk)
    assert continued(held, Run.objects.filter(pk=run.pk), {"n": 1})
    return Run.objects.get(continued_from=run)


@pytest.mark.parametrize("name", [*WORK, *TURN, *PLACE, *CHAIN])
def test_a_successor_keeps(run: Run, name: str) -> None:
    same(name, successor_of(run), run)


def test_a_successor_begins_anew_in_all_else(run: Run) -> None:
    made = successor_of(run)
    assert (made.input, made.status, made.attempt, made.continued_from_id) == ({"n": 1}, "queued", 1, run.pk)
    assert timedelta(seconds=490) < made.deadline_at - timezone.now() < timedelta(seconds=501)


@pytest.fixture
def forked(run: Run) -> Run:
    rewindable(run)
    return Run.objects.get(pk=fork(run.pk, 1).run_id)


def rewindable(run: Run) -> None:
    """Advance it until it parks."""
    (held,) = queue.claim("here", only=run.pk)
    assert isinstance(Resident(held).advance(), Parked)


@pytest.mark.parametrize("name", [*(name for name in WORK if name not in ("origin", "agent")), *TURN, "input"])
def test_a_fork_keeps(run: Run, forked: Run, name: str) -> None:
    same(name, forked, run)


def test_a_fork_stands_by_itself(run: Run, forked: Run) -> None:
    assert (forked.parent_id, forked.parent_call_seq, forked.parent_step) == (None, None, None)
    assert (forked.root_id, forked.chain, forked.depth) == (forked.pk, forked.pk, 0)
    assert (forked.origin, forked.forked_from_id, forked.schedule) == ("fork", run.pk, None)
    assert timedelta(seconds=490) < forked.deadline_at - timezone.now() < timedelta(seconds=501)


def test_a_fork_belongs_to_who_made_it(run: Run) -> None:
    rewindable(run)
    other = User.objects.create(username="other")
    assert Run.objects.get(pk=fork(run.pk, 1, owner=other).run_id).owner == other


def test_an_edited_script_is_no_longer_the_one_of_the_library(run: Run) -> None:
    rewindable(run)
    edited = SCRIPT + " // edited"
    made = Run.objects.get(pk=fork(run.pk, 1, source=edited).run_id)
    assert (made.source.text if made.source else None, made.script_version) == (edited, None)
    rewind(run.pk, 1, source=SCRIPT)
    assert Run.objects.get(pk=run.pk).script_version is not None
    rewindable(run)
    rewind(run.pk, 3, source=edited)
    again = Run.objects.get(pk=run.pk)
    assert (again.source.text if again.source else None, again.script_version) == (edited, None)
    assert again.script == run.script, "it is still found among the runs of that script"


@pytest.mark.parametrize("name", ["owner", "queue", "priority", "root"])
def test_a_child_has_from_its_parent(run: Run, name: str) -> None:
    same(name, child_of(run), run)


def test_a_child_has_no_key_no_budget_and_one_attempt_of_its_own(run: Run) -> None:
    child = child_of(run)
    assert (child.concurrency_key, child.concurrency_limit, child.budget, child.max_attempts) == (None, None, {}, 1)
    assert (child.parent_id, child.parent_call_seq, child.depth, child.origin) == (run.pk, 9, 2, "delegate")
    assert (child.parent_step, child.chain) == ({"id": "s2", "label": "Ask"}, child.pk)


def child_of(run: Run) -> Run:
    step = {"id": "s2", "label": "Ask"}
    make_children(run, [NewChild("0" * 26, 9, None, source="export default () => 2", step=step)])
    return Run.objects.get(pk="0" * 26)


def test_a_key_that_was_deleted_by_hand_is_made_again_for_a_successor(run: Run) -> None:
    ConcurrencyKey.objects.all().delete()
    successor_of(run)
    assert ConcurrencyKey.objects.filter(pk="K").exists()
