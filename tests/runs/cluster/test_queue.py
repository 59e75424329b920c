"""The lock-free queue: order, bounds, messages of any size, readers that are killed."""

import multiprocessing
import queue
import signal

import pytest
from helpers import PATIENCE, eventually

from runs.cluster.queue import INLINE_BYTES, KillSafeQueue

fork = multiprocessing.get_context("fork")


def test_messages_come_out_in_the_order_they_went_in() -> None:
    tasks = KillSafeQueue()
    for number in range(50):
        tasks.put({"number": number})
    assert [tasks.get()["number"] for _ in range(50)] == list(range(50))
    assert tasks.empty()


@pytest.mark.parametrize("size", [0, INLINE_BYTES - 100, INLINE_BYTES, INLINE_BYTES + 1, 5_000_000])
def test_a_message_of_any_size_arrives_whole(size: int) -> None:
    tasks = KillSafeQueue()
    tasks.put(b"x" * size)
    tasks.put("next")
    assert tasks.get() == b"x" * size
    assert tasks.get() == "next"


def test_getting_from_an_empty_queue_gives_up_in_time() -> None:
    tasks = KillSafeQueue()
    with pytest.raises(queue.Empty):
        tasks.get(block=False)
    with pytest.raises(queue.Empty):
        tasks.get(timeout=0.05)


def test_the_size_is_what_was_put_and_not_taken() -> None:
    tasks = KillSafeQueue()
    assert tasks.qsize() == 0
    tasks.put(1)
    tasks.put(2)
    assert tasks.qsize() == 2
    tasks.get()
    assert tasks.qsize() == 1


def _fill(tasks: KillSafeQueue, count: int) -> None:
    for number in range(count):
        tasks.put(number)


def test_a_writer_waits_while_the_queue_is_full() -> None:
    tasks = KillSafeQueue(maxsize=3)
    writer = fork.Process(target=_fill, args=(tasks, 10))
    writer.start()
    eventually(lambda: tasks.qsize() == 3)
    assert writer.is_alive()
    assert [tasks.get(timeout=PATIENCE) for _ in range(10)] == list(range(10))
    writer.join(PATIENCE)
    assert writer.exitcode == 0


def test_the_maker_is_not_held_up_by_the_bound() -> None:
    tasks = KillSafeQueue(maxsize=1)
    for _ in range(5):
        tasks.put("STOP", timeout=1)
    assert tasks.qsize() == 5


def test_a_full_socket_makes_the_writer_wait_and_loses_nothing() -> None:
    tasks = KillSafeQueue()
    writer = fork.Process(target=_fill, args=(tasks, 5_000))
    writer.start()
    assert [tasks.get(timeout=PATIENCE) for _ in range(5_000)] == list(range(5_000))
    writer.join(PATIENCE)


def _take_for_ever(tasks: KillSafeQueue, taken: KillSafeQueue) -> None:
    while True:
        taken.put(tasks.get())


def test_readers_killed_while_they_wait_leave_nothing_locked() -> None:
    tasks, taken = KillSafeQueue(), KillSafeQueue()
    for number in range(20):
        readers = [fork.Process(target=_take_for_ever, args=(tasks, taken)) for _ in range(3)]
        for reader in readers:
            reader.start()
        for reader in readers[1:]:
            reader.kill()
            reader.join()
            assert reader.exitcode == -signal.SIGKILL
        tasks.put(number)
        assert taken.get(timeout=PATIENCE) == number
        readers[0].kill()
        readers[0].join()


def test_each_message_goes_to_exactly_one_of_many_readers() -> None:
    tasks, taken = KillSafeQueue(), KillSafeQueue()
    readers = [fork.Process(target=_take_for_ever, args=(tasks, taken)) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(500):
        tasks.put(number)
    assert sorted(taken.get(timeout=PATIENCE) for _ in range(500)) == list(range(500))
    assert taken.empty()
    for reader in readers:
        reader.kill()
        reader.join()
