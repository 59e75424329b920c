"""The pool: its slots come back whatever happens to a claim, and no runnable run is left without a look."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connections
from helpers import eventually

from runs import nudges, queue
from runs.conf import conf
from runs.models import Run
from runs.starting import start
from runs.workers.pool import Pool

pytestmark = pytest.mark.django_db
SCRIPT = "export default async () => 1"


def fails(*_: object, **__: object) -> list[Run]:
    raise OperationalError("the connection is gone")


def test_a_claim_that_fails_gives_its_slots_back(monkeypatch: pytest.MonkeyPatch) -> None:
    start(SCRIPT)
    pool = Pool()
    monkeypatch.setattr(queue, "claim", fails)
    with pytest.raises(OperationalError):
        pool.feed()
    assert pool._take(conf().slots) == conf().slots


def test_what_was_claimed_and_cannot_be_started_is_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    start(SCRIPT)
    start(SCRIPT)
    pool = Pool()

    def no_thread(run: Run) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(pool, "_spawn", no_thread)
    with pytest.raises(RuntimeError):
        pool.feed()
    assert pool._take(conf().slots) == conf().slots
    assert set(Run.objects.values_list("status", flat=True)) == {"queued"}


def noted(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> list[Run]:
    """The runs that the pool would begin, in place of threads."""
    begun: list[Run] = []
    monkeypatch.setattr(pool, "_spawn", begun.append)
    return begun


def test_a_run_that_is_started_soon_after_needs_no_nudge(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool()
    begun = noted(pool, monkeypatch)
    late: list[str] = []

    def started_meanwhile(_: float) -> None:
        if not late:
            late.append(start(SCRIPT).run.pk)

    monkeypatch.setattr("runs.workers.pool.time.sleep", started_meanwhile)
    assert pool.feed() == 1
    assert [run.pk for run in begun] == late


def test_the_last_look_comes_after_the_word_that_it_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """What commits after the word nudges again; what commits before it is seen by that look."""
    told: list[str] = []
    monkeypatch.setattr(nudges, "awake", lambda: told.append("awake"))
    monkeypatch.setattr(nudges, "asleep", lambda: told.append("asleep"))
    monkeypatch.setattr(queue, "runnable", lambda: told.append("look"))
    monkeypatch.setattr("runs.workers.pool.time.sleep", lambda _: None)
    Pool().feed()
    assert told[:2] == ["awake", "look"]
    assert told[-2:] == ["asleep", "look"]
    assert told.count("asleep") == 1


def test_a_full_worker_does_not_pass_for_awake_and_passes_the_nudge_on_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool()
    begun = noted(pool, monkeypatch)
    for _ in range(conf().slots + 1):
        start(SCRIPT)
    told: list[str] = []
    monkeypatch.setattr(nudges, "awake", lambda: told.append("awake"))
    monkeypatch.setattr(nudges, "asleep", lambda: told.append("asleep"))
    monkeypatch.setattr(nudges, "send", lambda: told.append("send"))
    assert pool.feed(seconds=0.1) == len(begun) == conf().slots
    assert told.count("send") == 1
    assert told[-2:] == ["asleep", "send"]


@pytest.mark.django_db(transaction=True)
def test_a_thread_that_is_done_takes_the_next_run() -> None:
    pool = Pool()
    spawned: list[str] = []
    spawn = pool._spawn
    pool._spawn = lambda run: (spawned.append(run.pk), spawn(run))[1]  # type: ignore[method-assign]
    try:
        for _ in range(3):
            run = start(SCRIPT).run
            pool.feed(seconds=0)
            eventually(lambda run=run: Run.objects.get(pk=run.pk).status == "succeeded")
            eventually(lambda: pool._idle)
    finally:
        pool.keeper.stop()
        eventually(lambda: not pool._idle)
    assert len(spawned) == 1


@pytest.mark.django_db(transaction=True)
def test_a_slot_that_becomes_free_during_a_claim_gets_a_claim_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The claim under way may have looked before the run was queued, and nobody nudges for a worker that is awake."""
    pool = Pool()
    claim, entered, go = queue.claim, threading.Event(), threading.Event()

    def slow(*args: Any, **options: Any) -> list[Run]:
        if not entered.is_set():
            found = claim(*args, **options)
            entered.set()
            go.wait(timeout=10)
            return found
        return claim(*args, **options)

    monkeypatch.setattr(queue, "claim", slow)
    looking = threading.Thread(target=pool._look)
    looking.start()
    assert entered.wait(timeout=10)
    run = start(SCRIPT).run
    with ThreadPoolExecutor(1) as threads:
        following = threads.submit(pool._next)
        eventually(lambda: pool._idle)
        go.set()
        found = following.result(timeout=10)
        threads.submit(connections.close_all)
    looking.join(timeout=10)
    assert found is not None
    assert found.pk == run.pk
