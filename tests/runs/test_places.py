"""Concurrency keys: who waits for a place, who gets the next one, and that nobody behind them waits too."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from journal.errors import FenceLost
from runs import clock, places, queue
from runs.cancelling import cancel
from runs.codes import Code
from runs.errors import BadInput
from runs.family import continued
from runs.held import HeldRun
from runs.host import Canceled, Continued, Ending, Failed, Parked, Round, Succeeded
from runs.host.failure import run_error
from runs.models import ConcurrencyKey, Run
from runs.starting import start
from runs.words import status_words
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db
SCRIPT = "export default async () => 1"


def keyed(key: str = "k", limit: int | None = 1, **fields: object) -> Run:
    return start(SCRIPT, concurrency_key=key, concurrency_limit=limit, **fields).run  # type: ignore[arg-type]


def claimed(limit: int = 9) -> list[Run]:
    return queue.claim("w", limit)


def ids(*runs: Run) -> list[str]:
    return [run.pk for run in runs]


def end(run: Run, ending: Ending | Parked | None = None) -> None:
    HeldRun(run).commit(Round(ending=ending or Succeeded(1)))


def held_back(run: Run) -> bool:
    return Run.objects.get(pk=run.pk).held_back


def holder_and_waiting(count: int = 1) -> list[Run]:
    """The holder of the only place of a key, and those that are held back for it, the next one first."""
    keyed()
    waiting = [keyed() for _ in range(count)]
    [holder] = claimed()
    assert all(map(held_back, waiting))
    return [holder, *waiting]


def turn_of_the_second() -> list[Run]:
    """The place is free and the second run is back in the queue for it; the third waits on."""
    holder, second, third = holder_and_waiting(2)
    end(holder)
    places.readmit()
    assert (held_back(second), held_back(third)) == (False, True)
    return [second, third]


def test_a_run_waits_while_as_many_of_its_key_are_running() -> None:
    runs = [keyed(limit=2) for _ in range(4)]
    first, second = claimed()
    assert ids(first, second) == ids(*runs[:2])
    assert claimed() == []
    end(first)
    [third] = claimed()
    assert third.pk == runs[2].pk
    assert claimed() == []


def test_the_limit_is_one_unless_given() -> None:
    keyed(limit=None)
    keyed(limit=None)
    assert len(claimed()) == 1


def test_what_waits_for_a_place_keeps_nobody_behind_it_waiting() -> None:
    for _ in range(20):
        keyed(priority=5)
    other, free = keyed("other"), start(SCRIPT).run
    assert ids(*claimed(3))[1:] == ids(other, free)
    assert not queue.runnable()


def test_the_best_of_those_that_wait_gets_the_next_place() -> None:
    runs = [keyed(), keyed(queue="background", priority=9), keyed(), keyed(priority=1)]
    order = []
    while found := claimed():
        assert len(found) == 1
        order.append(found[0].pk)
        end(found[0])
    assert order == ids(runs[3], runs[0], runs[2], runs[1])


def test_a_better_run_that_comes_later_goes_before_one_that_waits() -> None:
    first, waits = holder_and_waiting()
    better = keyed(priority=1)
    end(first)
    assert ids(*claimed()) == ids(better)
    assert held_back(waits)


def test_a_parked_run_holds_no_place_and_waits_for_one_when_it_wakes() -> None:
    keyed()
    second = keyed()
    [first] = claimed()
    end(first, Parked(int(timezone.now().timestamp() * 1000) - 1, []))
    [holder] = claimed()
    assert holder.pk == second.pk
    assert queue.wake([first.pk]) == 1
    assert claimed() == []
    assert held_back(first)
    end(holder)
    assert ids(*claimed()) == ids(first)


def test_a_run_that_is_handed_back_gives_its_place_to_the_best() -> None:
    keyed()
    [first] = claimed()
    better = keyed(priority=1)
    assert claimed() == []
    queue.release({first.pk: first.fence})
    assert ids(*claimed()) == ids(better)


def test_the_place_of_a_dead_worker_is_free_when_the_clock_has_seen_it() -> None:
    first, _ = holder_and_waiting()
    Run.objects.filter(pk=first.pk).update(lease_until=timezone.now())
    clock.tick()
    assert len(claimed()) == 1


def test_the_turn_of_a_run_that_is_canceled_goes_to_the_next() -> None:
    second, third = turn_of_the_second()
    cancel(second.pk)
    assert ids(*claimed()) == ids(third)


def test_the_turn_of_a_run_that_is_too_old_goes_to_the_next() -> None:
    second, third = turn_of_the_second()
    Run.objects.filter(pk=second.pk).update(deadline_at=timezone.now())
    clock.tick()
    assert ids(*claimed()) == ids(third)


def test_a_run_that_waits_for_a_place_can_be_canceled() -> None:
    _, second = holder_and_waiting()
    cancel(second.pk)
    run = Run.objects.get(pk=second.pk)
    assert (run.status, run.held_back) == ("canceled", False)


def test_each_run_is_measured_by_its_own_limit() -> None:
    keyed(limit=1)
    narrow, wide = keyed(limit=1), keyed(limit=3)
    first, second = claimed()
    assert second.pk == wide.pk
    end(first)
    assert claimed() == []
    end(second)
    assert ids(*claimed()) == ids(narrow)


def test_a_claim_for_one_run_respects_the_key_and_finds_it_though_it_is_held_back() -> None:
    first, second = holder_and_waiting()
    assert queue.claim("w", only=second.pk) == []
    assert held_back(second)
    end(first)
    assert ids(*queue.claim("w", only=second.pk)) == ids(second)


def test_a_successor_keeps_the_key() -> None:
    keyed("k", 3)
    [first] = claimed()
    assert continued(first, Run.objects.filter(pk=first.pk), None)
    successor = Run.objects.get(continued_from=first)
    assert (successor.concurrency_key, successor.concurrency_limit) == ("k", 3)


def test_a_claim_goes_on_behind_more_full_keys_than_it_takes_at_once() -> None:
    for number in range(12):
        keyed(f"k{number}", priority=1)
    for run in claimed(12):
        keyed(run.concurrency_key or "", priority=1)
    free = start(SCRIPT).run
    assert ids(*claimed(1)) == ids(free)


def test_a_key_whose_row_was_deleted_is_made_again() -> None:
    keyed("b")
    keyed("a")
    ConcurrencyKey.objects.all().delete()
    assert len(claimed()) == 2
    assert ConcurrencyKey.objects.count() == 2


def test_runs_that_nobody_has_looked_at_for_a_minute_are_looked_at_again() -> None:
    first, second = holder_and_waiting()
    end(first)
    ConcurrencyKey.objects.update(freed=False)  # as if a move had not told
    assert claimed() == []
    assert places.look_again() == 0
    ConcurrencyKey.objects.update(looked_at=timezone.now() - timedelta(minutes=2))
    assert places.look_again() == 1
    assert ids(*claimed()) == ids(second)


def test_the_clock_nudges_for_a_free_place_and_not_for_those_that_wait() -> None:
    from django_q.models import OrmQ

    first, _ = holder_and_waiting()
    OrmQ.objects.all().delete()
    Run.objects.filter(status="queued").update(queued_at=timezone.now() - timedelta(hours=1))
    assert clock.tick().nudged == 0
    end(first)
    assert clock.tick().nudged == 1


RETRYABLE = run_error("x", "y", "", retryable=True)
WAYS: dict[str, Callable[[Run], object]] = {
    "succeeds": lambda run: end(run, Succeeded(1)),
    "fails": lambda run: end(run, Failed(run_error("x", "y", ""))),
    "waits for another attempt": lambda run: end(run, Failed(RETRYABLE)),
    "is canceled": lambda run: end(run, Canceled(run_error("canceled", "y", ""))),
    "is continued": lambda run: end(run, Continued(1)),
    "parks": lambda run: end(run, Parked(None, [])),
    "is handed back": lambda run: queue.release({run.pk: run.fence}),
    "is failed by the watchdog": lambda run: Resident(run).fail(Code.FUEL_EXHAUSTED, "x"),
    "loses its worker": lambda _: clock.tick(),
}


@pytest.mark.parametrize("way", WAYS)
def test_whichever_way_a_run_leaves_it_frees_its_place_once(way: str) -> None:
    keyed(max_attempts=2 if "attempt" in way else 1)
    second = keyed()
    [first] = claimed()
    if "loses" in way:
        Run.objects.filter(pk=first.pk).update(lease_until=timezone.now())
    with CaptureQueriesContext(connection) as asked:
        WAYS[way](first)
    freed = [query["sql"] for query in asked if query["sql"].startswith('UPDATE "runs_concurrencykey"')]
    assert len(freed) == 1
    assert Run.objects.get(pk=first.pk).status != "running"
    [next_one] = claimed(1)
    assert next_one.pk in ids(first, second)


def test_a_worker_that_has_lost_its_run_frees_no_place() -> None:
    keyed()
    second = keyed()
    [first] = claimed()
    claimed()
    Run.objects.filter(pk=first.pk).update(fence=first.fence + 1)
    with pytest.raises(FenceLost):
        end(first)
    assert queue.release({first.pk: first.fence}) == 0
    assert not ConcurrencyKey.objects.get(pk="k").freed
    assert held_back(second)


def test_words_say_what_a_queued_run_waits_for() -> None:
    keyed("tenant\n7", 1)
    second = keyed("tenant\n7", 1)
    claimed()
    claimed()
    assert status_words(Run.objects.get(pk=second.pk)) == "Queued: waits for a place among 1 of key tenant 7"


@pytest.mark.parametrize(
    ("key", "limit", "says"),
    [
        ("", 1, "empty"),
        ("  ", 1, "empty"),
        ("x" * 201, 1, "201 characters, the most is 200"),
        ("a\0", 1, "NUL"),
        ("k", 0, "from 1 to 32767, not 0"),
        ("k", 40_000, "from 1 to 32767"),
        ("k", True, "from 1 to 32767"),
        (None, 2, "give one, or no limit"),
    ],
)
def test_a_key_or_limit_that_means_nothing_is_refused(key: str | None, limit: int, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        start(SCRIPT, concurrency_key=key, concurrency_limit=limit)
    assert not ConcurrencyKey.objects.exists()


def test_a_claim_of_a_keyless_run_asks_for_keys_once_and_locks_none() -> None:
    start(SCRIPT)
    with CaptureQueriesContext(connection) as asked:
        claimed(1)
    about_keys = [query["sql"] for query in asked if "runs_concurrencykey" in query["sql"]]
    assert len(about_keys) == 1
    assert about_keys[0].startswith("SELECT EXISTS")
