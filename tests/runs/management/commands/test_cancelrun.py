"""cancelrun: runs and all below them; each that could not be canceled is named."""

import pytest
from commanding import command

from runs import queue, starting
from runs.models import Run
from runs.workers.pool import Pool

pytestmark = pytest.mark.django_db(transaction=True)
CHILD = "export default (input, ctx) => ctx.sleep(600000)"


def tree() -> Run:
    run = starting.start(f"export default (input, ctx) => ctx.delegate({{script: '{CHILD}'}})").run
    for _ in range(2):
        (held,) = queue.claim("here")
        Pool().advance(held)
    return run


def test_a_run_is_canceled_with_its_children_and_the_reason() -> None:
    run = tree()
    told = command("cancelrun", run.pk[:20], run.pk, "--reason", "not needed", "--json").succeeded().json
    (child,) = Run.objects.filter(parent=run)
    assert told == {"canceled": [run.pk, child.pk], "told": [], "refused": {}}
    assert child.error["message"].startswith("canceled: not needed")


def test_one_that_has_ended_is_named_and_the_others_are_canceled() -> None:
    ended, run = tree(), tree()
    command("cancelrun", ended.pk).succeeded()
    done = command("cancelrun", ended.pk, run.pk).refused(f"{ended.pk}: the run has ended (canceled)", "fork it")
    assert f"{run.pk} canceled" in done.out


def test_an_unknown_run_cancels_nothing() -> None:
    run = tree()
    command("cancelrun", run.pk, "0123").refused("there is no run")
    assert Run.objects.get(pk=run.pk).status == "waiting"


def test_what_a_worker_holds_is_told() -> None:
    run = starting.start(CHILD).run
    queue.claim("elsewhere")
    assert f"{run.pk} is told to end" in command("cancelrun", run.pk).succeeded().out


@pytest.mark.parametrize("reason", ["\udcff", "a\0b", "x" * 501], ids=["surrogate", "nul", "long"])
def test_a_reason_that_cannot_be_kept_cancels_nothing(reason: str) -> None:
    run = starting.start(CHILD).run
    assert "the reason has" in command("cancelrun", run.pk, "--reason", reason).refused().err
    run.refresh_from_db()
    assert run.status == "queued"
