"""The states and moves of a run."""

import itertools
from typing import Any

import pytest
from django.db import IntegrityError
from django.utils import timezone

from runs.lifecycle import MOVES, TERMINAL, Move, Status, move
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
SCRIPT = "export default async () => 1"


def run_in(status: Status) -> Run:
    run = start(SCRIPT).run
    fields: dict[str, Any] = {"status": status, "lease_until": None, "finished_at": None}
    if status == Status.RUNNING:
        fields["lease_until"] = timezone.now()
    if status in TERMINAL:
        fields["finished_at"] = timezone.now()
    if status == Status.IMPORTED:
        fields["imported"] = {}
    Run.objects.filter(pk=run.pk).update(**fields)
    return run


def test_the_terminal_states_are_those_that_nothing_but_an_operator_leaves() -> None:
    assert set(TERMINAL) == {Status.SUCCEEDED, Status.FAILED, Status.CANCELED, Status.IMPORTED}


def test_a_copy_is_where_no_move_leads_and_where_none_begins() -> None:
    assert all(Status.IMPORTED not in sources and target != Status.IMPORTED for sources, target in MOVES.values())


@pytest.mark.parametrize(("name", "status"), list(itertools.product(Move, Status)), ids=str)
def test_a_move_happens_from_its_states_only_and_tells_whether_it_did(name: Move, status: Status) -> None:
    run = run_in(status)
    changes = {"lease_until": timezone.now()} if name is Move.CLAIM else {}
    moved = move(Run.objects.filter(pk=run.pk), name, **changes)
    run.refresh_from_db()
    sources, target = MOVES[name]
    assert moved == (status in sources)
    assert run.status == (target if status in sources else status)


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.IMPORTED], ids=str)
def test_what_a_state_implies_is_set_with_it(status: Status) -> None:
    name = next(name for name, (_, target) in MOVES.items() if target == status)
    run = run_in(next(iter(MOVES[name][0])))
    move(Run.objects.filter(pk=run.pk), name, **({"lease_until": timezone.now()} if name is Move.CLAIM else {}))
    run.refresh_from_db()
    assert (run.finished_at is not None) == (status in TERMINAL)
    assert (run.lease_until is not None) == (status == Status.RUNNING)
    assert (run.wake_at is None) or status == Status.WAITING


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "asleep"},
        {"status": Status.SUCCEEDED},
        {"finished_at": timezone.now()},
        {"status": Status.RUNNING},
        {"lease_until": timezone.now()},
        {"status": Status.IMPORTED, "finished_at": timezone.now()},
        {"imported": {}},
    ],
    ids=[
        "unknown status",
        "ended without a time",
        "a time without an end",
        "running without a lease",
        "leased and queued",
        "a copy of nothing",
        "what was imported of no copy",
    ],
)
def test_the_database_refuses_a_row_that_cannot_be(fields: dict[str, object]) -> None:
    run = start(SCRIPT).run
    with pytest.raises(IntegrityError):
        Run.objects.filter(pk=run.pk).update(**fields)


def test_a_parked_run_says_in_a_column_what_it_waits_on() -> None:
    run = run_in(Status.RUNNING)
    parts = [{"kind": kind, "callSeq": seq} for seq, kind in enumerate(("wait", "timer", "wait", "attempt"), 1)]
    mine = Run.objects.filter(pk=run.pk)
    assert move(mine, Move.PARK, wait=parts)
    assert mine.get().waits_on == "retry,signal,timer"
    assert move(mine, Move.WAKE)
    assert mine.get().waits_on == ""
