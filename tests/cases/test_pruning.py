"""C40 and its kind, on both databases: deleting what has ended beside live workers, interrupted, and raced."""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from cases.engines import BOTH
from cases.installation import Installation, look
from cases.together import meeting, together
from django.db import IntegrityError, connection, connections
from django.utils import timezone
from helpers import eventually

from journal.models import Journal, JournalScript, RunJournal
from runs import cancelling, signals
from runs.errors import NotPossible, UnknownRun
from runs.lifecycle import TERMINAL
from runs.models import Message, Run, Source
from runs.operations import fork, retry, rewind
from runs.pruning import Asked, delete_tree, foresee, prune
from runs.pruning.deleting import delete
from runs.starting import start

pytestmark = BOTH
MANY = 3_000
CHILD = "export default async (input, ctx) => ctx.call('echo', {v: input})"
FAILS = "await ctx.call('tick'); await ctx.call('boom')"


def now() -> Asked:
    """Everything that has ended by now."""
    return Asked(timezone.now() + timedelta(seconds=1))


def gone(run: Run) -> bool:
    return bool(delete([run.pk], lambda tree: tree.has_ended).trees)


def working() -> bool:
    """Whether runs have not ended; those of test data never do."""
    return Run.objects.exclude(status__in=TERMINAL).exclude(script__name__startswith="seed-").exists()


def assert_nothing_dangles() -> None:
    """Every row that belongs to a run has it, and every source and script that something names is there."""
    runs, journals = Run.objects.values("pk"), Journal.objects.values("pk")
    assert not Message.objects.exclude(run__in=runs).exists()
    assert not RunJournal.objects.exclude(run_id__in=journals).exists()
    assert not JournalScript.objects.exclude(run_id__in=journals).exists()
    assert Journal.objects.count() == Run.objects.count()
    for name in ("root", "parent", "continued_from", "forked_from"):
        assert not Run.objects.filter(**{f"{name}__isnull": False}).exclude(**{f"{name}__in": runs}).exists(), name
    sources = Source.objects.values("pk")
    assert not Run.objects.filter(source__isnull=False).exclude(source__in=sources).exists()
    assert not JournalScript.objects.exclude(sha256__in=sources).exists()


def test_c40_a_prune_that_is_killed_and_begun_again_beside_workers(house: Installation) -> None:
    house.manage("seedruns", "--runs", str(MANY), "--entries")
    live = set(Run.objects.exclude(status__in=TERMINAL).values_list("pk", flat=True))
    parent = house.run("await ctx.delegate({script: `export default (i, ctx) => ctx.waitForEvent({})`}).catch(() => 0)")
    below = eventually(lambda: parent.children.filter(status="waiting").first())
    # A root that has ended above a child that lives.
    eventually(lambda: look(parent).status == "waiting")
    Run.objects.filter(pk=parent.pk).update(
        status="succeeded", finished_at=timezone.now() - timedelta(days=1), wake_at=None, wait=None, waits_on=""
    )
    before = Run.objects.count()
    foreseen = foresee(Asked(timezone.now() - timedelta(minutes=10)))

    command = ("pruneruns", "--older-than", "10m", "--batch", "50")
    process = house.start(*command)
    eventually(lambda: Run.objects.count() < before or process.poll() is not None)
    process.kill()
    process.wait()
    assert Run.objects.count() < before
    assert_nothing_dangles()
    left = Run.objects.count()
    process = house.start(*command)
    eventually(lambda: Run.objects.count() < left or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.wait()
    assert Run.objects.count() < left
    assert_nothing_dangles()
    worked = [house.run("return ctx.call('counted', {v: 1})") for _ in range(5)]
    house.manage(*command)
    assert foresee(Asked(timezone.now() - timedelta(minutes=10))).runs == 0
    assert Run.objects.filter(pk__in=live).count() == len(live)
    assert {look(parent).status, look(below).status} == {"succeeded", "waiting"}
    assert Run.objects.count() == before - foreseen.runs + len(worked)
    assert_nothing_dangles()
    for run in worked:
        house.succeeded(run)
    cancelling.cancel(below.pk)
    house.ended(below)


@pytest.mark.parametrize(
    "verb",
    [
        lambda pk: retry(pk, children="keep"),
        lambda pk: rewind(pk, 1, children="keep"),
        lambda pk: fork(pk, 2, children="keep"),
        lambda pk: signals.send(pk, "go"),
        lambda pk: cancelling.cancel(pk),
    ],
    ids=["retry", "rewind", "fork", "signal", "cancel"],
)
def test_a_verb_beside_a_deletion_is_done_or_refused_in_words(house: Installation, verb: Callable[[str], Any]) -> None:
    for _ in range(6):
        run = house.run(FAILS)
        house.failed(run, "boom")
        together(partial(done_or_refused, verb, run), partial(gone, run))
        eventually(lambda: not working())
        assert_nothing_dangles()


def done_or_refused(verb: Callable[[str], Any], run: Run) -> None:
    with suppress(UnknownRun, NotPossible):
        verb(run.pk)


def test_a_fork_that_is_being_made_keeps_its_run_until_it_is_there(house: Installation) -> None:
    run = house.run("return ctx.call('counted', {v: 1})")
    house.succeeded(run)
    outcome: list[bool] = []
    done, forked = threading.Event(), []

    def made(_: object) -> None:
        """In the transaction of the fork, when all but its commit is done."""
        if connection.vendor == "postgresql":  # SQLite lets nobody else begin to write
            thread = threading.Thread(target=pruned)
            thread.start()
            thread.join()
        done.set()

    def pruned() -> None:
        outcome.append(gone(run))
        connections.close_all()

    forked.append(fork(run.pk, 1, children="keep", also=made).run_id)
    assert done.is_set()
    assert outcome in ([], [False]), "somebody is at work on it"
    assert house.succeeded(Run.objects.get(pk=forked[0])).forked_from_id == run.pk
    assert gone(look(run))
    assert Run.objects.get(pk=forked[0]).forked_from_id is None
    assert_nothing_dangles()


def test_a_source_that_a_run_is_being_started_with_is_never_missing(house: Installation) -> None:
    """Each start of the only run of a source beside the deletion of the one before it."""
    text = "export default async () => 'the only one'"
    run = start(text).run
    for _ in range(25):
        house.succeeded(run)
        made: list[Run] = []
        together(lambda made=made: made.append(start(text).run), partial(gone, run))
        run = made[0]
    house.succeeded(run)
    assert_nothing_dangles()


def test_a_source_waits_for_the_deletion_and_is_written_again(house: Installation) -> None:
    text = "export default async () => 'again'"
    run = start(text).run
    house.succeeded(run)
    made: list[Run] = []
    meeting(lambda: assert_true(gone(run)), lambda: made.append(start(text).run))
    assert house.succeeded(made[0]).output == "again"


def assert_true(value: bool) -> None:
    assert value


def test_the_key_of_a_run_that_is_being_deleted_names_that_run_or_a_new_one(house: Installation) -> None:
    for at in range(10):
        key = f"monday {at}"
        run = house.run("return 1", key=key)
        house.succeeded(run)
        made: list[Run] = []

        def again(key: str = key, made: list[Run] = made) -> None:
            with suppress(IntegrityError):
                made.append(start("export default async () => 2", key=key).run)

        together(again, partial(gone, run))
        assert made, "a start under a key is never refused for want of the first run"
        if made[0].pk != run.pk:
            assert house.succeeded(made[0]).output == 2
        assert_nothing_dangles()


def test_delegating_runs_and_their_children_go_on_beside_one_deletion_after_the_other(house: Installation) -> None:
    over = threading.Event()
    errors: list[BaseException] = []

    def prune_for_ever() -> None:
        try:
            while not over.is_set():
                prune(now(), batch=20)
        except BaseException as error:  # noqa: BLE001  (raised below)
            errors.append(error)
        finally:
            connections.close_all()

    pruners = [threading.Thread(target=prune_for_ever) for _ in range(2)]
    for pruner in pruners:
        pruner.start()
    body = (
        f"const made = await ctx.parallel([1, 2, 3].map((n) => () => ctx.delegate({{script: {CHILD!r}, input: n}})));"
    )
    keys = [house.run(f"{body} await ctx.call('counted', {{v: made.length}}); return made") for _ in range(15)]
    eventually(lambda: not working())
    over.set()
    for pruner in pruners:
        pruner.join()
    assert not errors
    assert [house.counts(run) for run in keys] == [{"counted": 1}] * len(keys)
    prune(now())
    assert not Run.objects.filter(pk__in=[run.pk for run in keys]).exists()
    assert_nothing_dangles()


def test_a_late_result_of_a_run_that_was_deleted_is_nobodys(house: Installation) -> None:
    run = house.run("await Promise.race([ctx.call('slow', {ms: 700, v: 1}), ctx.call('boom')])")
    with suppress(NotPossible):
        eventually(lambda: look(run).status == "failed" or None)
        delete_tree(look(run), lambda tree: None)
    house.succeeded(house.run("return 1"))
    assert "Traceback" not in house.log()
    assert_nothing_dangles()
