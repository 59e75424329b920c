"""Who writes tells of each change of a run's row or inbox, after its commit; a sender that cannot send does no harm."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from helpers import eventually
from trees import append, child, root
from web import Web

from journal import bodies
from journal.entries import Entry
from runs import cancelling, clock, places, queue, signals
from runs.held import HeldRun
from runs.host import Parked, Round, Succeeded
from runs.lifecycle import Move, move
from runs.models import Run
from runs.operations import retry
from runs.operations.again import try_again
from runs.starting import start
from runs.watching import hints

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = "export default async () => 1"


class Told(list[str]):
    """Stands where the sender does."""

    def add(self, run_ids: tuple[str, ...]) -> None:
        self.extend(run_ids)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    told = Told()
    monkeypatch.setattr(hints, "_sender", lambda: told)
    monkeypatch.setattr(hints, "reach", lambda: True)
    return told


def claimed(**fields: object) -> Run:
    run = start(SCRIPT, **fields).run
    return queue.claim("worker", only=run.pk)[0]


def parked(**more: object) -> Run:
    run = claimed()
    HeldRun(run).commit(Round(ending=Parked(int(timezone.now().timestamp() * 1000) + 60_000, [])))
    Run.objects.filter(pk=run.pk).update(**more)
    return run


def claim() -> tuple[Run, Callable[[], object]]:
    return start(SCRIPT).run, lambda: queue.claim("worker")


def plan() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    return run, lambda: HeldRun(run).commit(Round(plan={"steps": []}))


def progress() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    return run, lambda: HeldRun(run).commit(Round(progress={"fraction": 0.5}))


def park() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    return run, lambda: HeldRun(run).commit(Round(ending=Parked(None, [])))


def end() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    return run, lambda: HeldRun(run).commit(Round(ending=Succeeded(1)))


def take_a_letter() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    signals.send(run.pk, "go")
    return run, lambda: HeldRun(run).commit(Round(letters={HeldRun(run).letters()[0].id: 1}))


def release() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    return run, lambda: queue.release({run.pk: run.fence})


def wake() -> tuple[Run, Callable[[], object]]:
    return parked(wake_at=timezone.now() - timedelta(seconds=1)), lambda: clock.tick()


def lose_the_worker() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    Run.objects.filter(pk=run.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    return run, lambda: clock.tick()


def live_too_long() -> tuple[Run, Callable[[], object]]:
    return parked(deadline_at=timezone.now() - timedelta(seconds=1)), lambda: clock.tick()


def signal_that_is_kept() -> tuple[Run, Callable[[], object]]:
    run = start(SCRIPT).run
    return run, lambda: signals.send(run.pk, "go")


def signal_that_wakes() -> tuple[Run, Callable[[], object]]:
    run = parked()
    part = {"kind": "wait", "callSeq": 1, "waitId": "w1", "match": {}, "label": None, "wakeAt": None}
    Run.objects.filter(pk=run.pk).update(wait=[part])
    return run, lambda: signals.send(run.pk, "go")


def cancel_what_waits() -> tuple[Run, Callable[[], object]]:
    run = parked()
    return run, lambda: cancelling.cancel(run.pk)


def cancel_what_runs() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    return run, lambda: cancelling.cancel(run.pk)


def retry_what_failed() -> tuple[Run, Callable[[], object]]:
    run = claimed()
    move(Run.objects.filter(pk=run.pk), Move.FAIL, error={"code": "x", "message": "y"}, error_code="x")
    return run, lambda: retry(run.pk)


def begin_another_attempt() -> tuple[Run, Callable[[], object]]:
    """As the worker does that has claimed a run which failed and is to be tried again."""
    run = claimed()
    Run.objects.filter(pk=run.pk).update(error={"code": "x", "message": "y"}, error_code="x")
    held = Run.objects.select_related("journal", "source").get(pk=run.pk)
    return run, lambda: try_again(held, lambda _: None)


def hold_back() -> tuple[Run, Callable[[], object]]:
    claimed(concurrency_key="k", concurrency_limit=1)
    return start(SCRIPT, concurrency_key="k", concurrency_limit=1).run, lambda: queue.claim("worker")


def readmit() -> tuple[Run, Callable[[], object]]:
    first = claimed(concurrency_key="k", concurrency_limit=1)
    second = start(SCRIPT, concurrency_key="k", concurrency_limit=1).run
    queue.claim("worker")
    HeldRun(first).commit(Round(ending=Succeeded(1)))
    return second, places.readmit


CHANGES = [
    claim,
    plan,
    progress,
    park,
    end,
    take_a_letter,
    release,
    wake,
    lose_the_worker,
    live_too_long,
    signal_that_is_kept,
    signal_that_wakes,
    cancel_what_waits,
    cancel_what_runs,
    retry_what_failed,
    begin_another_attempt,
    hold_back,
    readmit,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_each_change_is_told_and_marks_the_row(
    told: Told, change: Callable[[], tuple[Run, Callable[[], object]]]
) -> None:
    run, act = change()
    before = Run.objects.values_list("updated_at", flat=True).get(pk=run.pk)
    told.clear()
    act()
    assert run.pk in told
    assert Run.objects.values_list("updated_at", flat=True).get(pk=run.pk) > before


def test_an_append_is_told(told: Told) -> None:
    run = claimed()
    told.clear()
    HeldRun(run).commit(Round([Entry.of(1, 0, bodies.now(1, 1))]))
    assert told == [run.pk]


def test_what_is_rolled_back_is_not_told(told: Told) -> None:
    """C37."""
    run = claimed()
    told.clear()
    with transaction.atomic():
        HeldRun(run).commit(Round(progress={"fraction": 1}))
        transaction.set_rollback(True)
    assert told == []


class Layer:
    """What is sent goes into `messages` while the gate is open."""

    def __init__(self) -> None:
        self.messages: list[list[str]] = []
        self.failures = 0
        self.open = threading.Event()

    async def send(self, run_ids: list[str]) -> None:
        self.open.wait()
        if self.failures:
            self.failures -= 1
            raise ConnectionError("nobody there")
        self.messages.append(run_ids)


@pytest.fixture
def layer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Layer]:
    layer = Layer()
    monkeypatch.setattr(hints, "_send", layer.send)
    yield layer
    layer.open.set()


def test_what_comes_while_it_sends_travels_together(layer: Layer) -> None:
    sender = hints.Sender()
    sender.add(("a",))
    eventually(lambda: not sender._pending, what="the first message is on its way")
    for _ in range(100):
        sender.add(("b", "c"))
        sender.add(("c",))
    assert not sender.flush(0)
    layer.open.set()
    assert sender.flush(10)
    assert layer.messages == [["a"], ["b", "c"]]


def test_a_message_that_cannot_be_sent_is_lost_and_the_next_one_goes(layer: Layer) -> None:
    layer.failures = 1
    layer.open.set()
    sender = hints.Sender()
    sender.add(("a",))
    assert sender.flush(10)
    sender.add(("b",))
    assert sender.flush(10)
    assert layer.messages == [["b"]]


def test_without_its_channel_layer_a_page_sees_what_happens_a_little_later(web: Web, settings: object) -> None:
    nowhere = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": ["redis://127.0.0.1:1"]}}
    settings.CHANNEL_LAYERS = {"default": nowhere}  # type: ignore[attr-defined]
    ana = User.objects.create_user("ana")
    run = root(ana)
    socket = web.open(ana)
    socket.subscribe(run.pk)
    socket.until("change")
    append(run)
    append(child(run))
    socket.until_seq(run.pk, 1)
    assert hints.reach()
