"""qcluster: what it says when it cannot go on. How its processes die and come back is told in `runs/cluster`."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import django_q.cluster
import pytest
from django.core.management import call_command

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """A cluster takes the signals of its process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def killed(*_arguments: Any) -> None:
    """A sentinel that does not live to begin."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_sentinel_that_is_killed_as_it_begins_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Queue", "Event", "Value", "Sentinel"):  # which the command replaces, and are put back
        monkeypatch.setattr(f"django_q.cluster.{name}", getattr(django_q.cluster, name))
    monkeypatch.setattr("runs.cluster.install.KillSafeSentinel", killed)
    with pytest.raises(SystemExit, match=r"failed to start: sentinel exited with code -9; start qcluster again\.$"):
        call_command("qcluster")
