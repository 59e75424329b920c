"""An agent begins while its run is surely held, and not when it was given up before there was a thread for it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runs import queue
from runs.agents import host
from runs.agents.registry import registered_agents
from runs.conf import conf
from runs.family import make_children
from runs.host import Lost, NewChild, Succeeded
from runs.ids import new_id
from runs.models import Run
from runs.starting import start
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db
begun: list[int] = []


def note(v: int) -> int:
    begun.append(v)
    return v


@pytest.fixture(autouse=True)
def _note() -> Iterator[None]:
    begun.clear()
    with registered_agents(note=note):
        yield


def resident() -> Resident:
    """A claimed run of the agent."""
    child = NewChild(new_id(), 1, {"v": 7}, agent="note")
    make_children(start("export default async () => 1").run, [child])
    return Resident(queue.claim("w", only=child.run_id)[0])


def of_age(held: Resident) -> Resident:
    """Its worker has stood still for longer than the lease."""
    held.lease._since -= conf().lease_seconds
    return held


def test_on_an_old_lease_it_begins_when_that_has_been_renewed() -> None:
    held = of_age(resident())
    assert held.advance() == Succeeded(7)
    assert held.lease.fresh()
    assert begun == [7]


def test_on_a_lease_that_is_lost_it_does_not_begin() -> None:
    held = of_age(resident())
    Run.objects.filter(pk=held.run.pk).update(fence=held.run.fence + 1)
    assert isinstance(held.advance(), Lost)
    assert begun == []


def test_one_that_was_let_go_before_it_had_a_thread_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: list[Callable[[], None]] = []

    def submit(work: Callable[[], None], **_: Any) -> None:
        waiting.append(work)

    monkeypatch.setattr(host.THREADS, "submit", submit)
    held = resident()
    held.lose()
    assert isinstance(held.advance(), Lost)
    waiting[0]()
    assert begun == []
