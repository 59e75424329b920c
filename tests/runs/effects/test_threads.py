"""The threads of tools: shared, bounded, and not to be held for ever by what hangs."""

import threading

import pytest
from helpers import PATIENCE, eventually

from runs.effects.threads import Threads


@pytest.fixture
def end() -> threading.Event:
    """Set at the end of the test, so that what hangs ends."""
    event = threading.Event()
    yield event
    event.set()


def test_a_burst_of_work_beyond_the_limit_is_all_done() -> None:
    threads, done, lock = Threads(limit=3), [], threading.Lock()

    def work(number: int) -> None:
        with lock:
            done.append(number)

    for number in range(200):
        threads.submit(lambda number=number: work(number), threading.Event())
    eventually(lambda: len(done) == 200)
    assert sorted(done) == list(range(200))


def test_work_never_waits_behind_a_thread_that_has_just_become_busy(end: threading.Event) -> None:
    threads = Threads(limit=8)
    started = threading.Semaphore(0)

    def hang() -> None:
        started.release()
        end.wait()

    for _ in range(8):
        threads.submit(hang, threading.Event())
    for _ in range(8):
        assert started.acquire(timeout=PATIENCE)


def test_no_more_threads_than_the_limit_are_at_work(end: threading.Event) -> None:
    threads, begun = Threads(limit=2), []
    for number in range(5):
        threads.submit(lambda number=number: (begun.append(number), end.wait()), threading.Event())
    eventually(lambda: len(begun) == 2)
    end.set()
    eventually(lambda: len(begun) == 5)


def test_what_hangs_and_was_given_up_takes_no_place_from_others(end: threading.Event) -> None:
    threads, given_up, done = Threads(limit=2), threading.Event(), threading.Event()
    for _ in range(2):
        threads.submit(end.wait, given_up)
    given_up.set()
    threads.submit(done.set, threading.Event())
    assert done.wait(PATIENCE)


def test_a_thread_survives_work_that_fails() -> None:
    threads, done = Threads(limit=1), threading.Event()
    threads.submit(lambda: 1 / 0, threading.Event())
    threads.submit(done.set, threading.Event())
    assert done.wait(PATIENCE)
