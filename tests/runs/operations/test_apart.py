"""A dry replay that does not stop costs a thread, and neither the request nor the process."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from helpers import eventually

from runs.errors import NotPossible
from runs.operations import apart


class Endless:
    """Stands where a rehearsal does: in an engine call that goes on until it is let go."""

    def __init__(self) -> None:
        self.realm = SimpleNamespace(slice_began=float("-inf"), slice_cpu=lambda: float("inf"))
        self.over = threading.Event()

    def stand(self) -> None:
        self.over.wait()


@pytest.fixture
def endless() -> Iterator[Any]:
    rehearsal = Endless()
    yield rehearsal
    rehearsal.over.set()
    eventually(lambda: not left(), what="the threads have ended")


def left() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == apart.NAME]


def test_what_it_comes_to_is_handed_over_and_so_is_what_it_raises() -> None:
    def refuse() -> None:
        raise NotPossible("no")

    assert apart.stand(SimpleNamespace(realm=None, stand=lambda: "stood")) == "stood"  # type: ignore[arg-type]
    with pytest.raises(NotPossible, match="no"):
        apart.stand(SimpleNamespace(realm=None, stand=refuse))  # type: ignore[arg-type]


def test_one_that_does_not_stop_is_left_behind_and_not_many_of_them(endless: Any) -> None:
    for count in (1, 2):
        with pytest.raises(NotPossible, match="an engine call that does not stop"):
            apart.stand(endless)
        assert len(left()) == count
    with pytest.raises(NotPossible, match="earlier dry replays"):
        apart.stand(endless)
    endless.over.set()
    eventually(lambda: not left(), what="the threads have ended")
    assert apart.stand(SimpleNamespace(realm=None, stand=lambda: "stood")) == "stood"  # type: ignore[arg-type]
