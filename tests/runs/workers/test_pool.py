"""The pool: its slots come back whatever happens to a claim."""

import pytest
from django.db import OperationalError

from runs import queue
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
