"""The end of a run in one statement, against others who write its row at that very moment."""

import threading
from collections.abc import Callable
from concurrent.futures import Future

import pytest
from cases.engines import POSTGRES
from cases.installation import Installation, entries, look, script
from django.db import connection, connections, transaction
from django.db.models import F
from helpers import eventually

from journal import bodies, store
from journal.entries import Entry
from journal.errors import FenceLost
from runs import queue
from runs.held import HeldRun
from runs.host import Round, Succeeded
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.parametrize("engine", [POSTGRES], indirect=True, scope="module")
RUNNING = False
_WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"


def waiting() -> bool:
    """Whether somebody waits for what this transaction has locked."""
    with connection.cursor() as cursor:
        cursor.execute(_WAITS)
        return bool(cursor.fetchone()[0])


def ending_beside(change: Callable[[Run], object]) -> tuple[Run, Future[None]]:
    """A run whose holder ends it while another transaction has written its row, and then commits."""
    start(script("return 1"))
    (held,) = queue.claim("w")
    ended: Future[None] = Future()

    def end() -> None:
        try:
            round = Round([Entry.of(1, 0, bodies.now(1, 1))], 1.5, ending=Succeeded(7))
            ended.set_result(HeldRun(held).commit(round))
        except Exception as error:  # noqa: BLE001  (the test asks for it)
            ended.set_exception(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=end)
    with transaction.atomic():
        change(held)
        thread.start()
        eventually(waiting)
    thread.join(timeout=20)
    return look(held), ended


def test_an_end_that_waited_for_another_writer_ends_the_run_as_that_one_left_it(house: Installation) -> None:
    run, ended = ending_beside(lambda run: Run.objects.filter(pk=run.pk).update(cancel_reason="too late"))
    assert ended.result(timeout=1) is None
    assert (run.status, run.output, run.cancel_reason, run.worker, run.lease_until) == (
        "succeeded",
        7,
        "too late",
        "",
        None,
    )
    assert (run.journal.next_seq, run.journal.cpu_ms, len(entries(run))) == (2, 1.5, 1)


def test_an_end_that_waited_for_who_took_the_run_writes_nothing(house: Installation) -> None:
    def take(run: Run) -> None:
        Run.objects.filter(pk=run.pk).update(fence=F("fence") + 1)
        store.take_fence([run.journal_id])

    run, ended = ending_beside(take)
    assert isinstance(ended.exception(timeout=1), FenceLost)
    assert (run.status, run.output, run.finished_at) == ("running", None, None)
    assert entries(run) == []


def test_an_end_whose_journal_has_another_holder_leaves_the_row_alone(house: Installation) -> None:
    """Never so by any move of ours; the one statement must not end a run whose entries it cannot write."""
    start(script("return 1"))
    (held,) = queue.claim("w")
    store.take_fence([held.journal_id])
    with pytest.raises(FenceLost):
        HeldRun(held).commit(Round([Entry.of(1, 0, bodies.now(1, 1))], ending=Succeeded(7)))
    with pytest.raises(FenceLost):
        HeldRun(held).commit(Round(ending=Succeeded(7)))
    assert (look(held).status, entries(held)) == ("running", [])
