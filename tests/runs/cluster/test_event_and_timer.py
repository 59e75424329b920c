"""The lock-free event and timer, shared by a process with the children it forks."""

import multiprocessing

from helpers import PATIENCE, eventually

from runs.cluster.event import KillSafeEvent
from runs.cluster.timer import KillSafeTimer

fork = multiprocessing.get_context("fork")


def test_an_event_set_in_one_process_is_set_in_all() -> None:
    event, answer = KillSafeEvent(), KillSafeEvent()
    child = fork.Process(target=lambda: event.wait(PATIENCE) and answer.set())
    child.start()
    assert not event.is_set()
    assert not event.wait(0.02)
    event.set()
    assert answer.wait(PATIENCE)
    assert event.is_set()
    child.join()


def test_an_event_can_be_set_any_number_of_times() -> None:
    event = KillSafeEvent()
    for _ in range(100_000):
        event.set()
    assert event.is_set()


def _work(timer: KillSafeTimer, seconds: float) -> None:
    timer.value = seconds


def _set_in_child(timer: KillSafeTimer, seconds: float) -> None:
    child = fork.Process(target=_work, args=(timer, seconds))
    child.start()
    child.join()


def test_a_timer_shows_what_is_left_and_reaches_exactly_zero() -> None:
    timer = KillSafeTimer("f", -1)
    assert timer.value == -1
    _set_in_child(timer, 6000)
    assert 5000 < timer.value <= 6000
    _set_in_child(timer, 0.05)
    eventually(lambda: timer.value == 0)


def test_only_the_worker_moves_its_timer() -> None:
    timer = KillSafeTimer("f", -1)
    _set_in_child(timer, 6000)
    with timer.get_lock():
        timer.value -= 5990
    assert timer.value > 5000
    _set_in_child(timer, -2)
    assert timer.value == -2
