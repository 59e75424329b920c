"""A call that an operation has written, and nobody has begun, is not told as executed again at its first execution."""

from typing import Any

import pytest
from driving import script
from going import active, begun, executed, go_on
from helpers import eventually

from runs import queue
from runs.models import Run
from runs.operations import fork, retry
from runs.starting import start
from runs.workers.resident import Resident

pytestmark = pytest.mark.django_db(transaction=True)
BODY = "const a = await ctx.call('note', {v: 'a'}); return [a, await ctx.call('once', {v: 'b'})]"
# The new call is asked for before the one that is reused: the operation itself writes it.
EDITED = """export default async (input, ctx) => {
  const both = await ctx.parallel([() => ctx.call('note', {v: 'a'}), () => ctx.call('note', {v: 'new'})]);
  return [...both, await ctx.call('once', {v: 'b'})];
}"""


def marked(run: Run) -> list[Any]:
    """The outputs of calls that are told as executed again."""
    return [body["output"] for body in active(run) if body["kind"] == "result" and body.get("reexecuted")]


@pytest.fixture
def failed() -> Run:
    run = begun(BODY)
    assert (run.status, executed) == ("failed", ["a", "b"])
    return run


def held_until_it_dies(run: Run, monkeypatch: pytest.MonkeyPatch, *begun_by_then: str) -> None:
    """A worker claims the run and dies with its calls out; it is queued again."""

    def die(_: float | None) -> list[Any]:
        eventually(lambda: set(begun_by_then) <= set(executed))
        raise KeyboardInterrupt

    (held,) = queue.claim("dead", only=run.pk)
    resident = Resident(held)
    monkeypatch.setattr(resident.host._desk.effects, "wait", die)
    with pytest.raises(KeyboardInterrupt):
        resident.advance()
    queue.release({held.pk: held.fence})


def test_a_new_call_of_an_edited_source_is_executed_once(failed: Run) -> None:
    retry(failed.pk, source=EDITED)
    assert "new" in [body["input"]["v"] for body in active(failed) if body["kind"] == "call"], "not written yet"
    run = go_on(failed)
    assert run.output == ["a", "new", "b well"]
    assert marked(run) == []


def test_it_is_told_as_executed_again_when_its_first_holder_has_died(
    failed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    retry(failed.pk, source=EDITED)
    held_until_it_dies(failed, monkeypatch, "new")
    assert marked(go_on(failed)) == ["new"]


def test_the_call_that_is_retried_is_executed_again(failed: Run) -> None:
    retry(failed.pk)
    assert marked(go_on(failed)) == ["b well"]


def test_a_new_call_of_a_fork_is_executed_once(failed: Run) -> None:
    made = go_on(Run.objects.get(pk=fork(failed.pk, 2, source=EDITED).run_id))
    assert (made.output, marked(made)) == (["a", "new", "b well"], [])


def test_a_call_that_a_fork_has_copied_without_a_result_was_begun_by_the_other_run_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = "return ctx.parallel([() => ctx.call('note', {v: 'x'}), () => ctx.call('note', {v: 'y'})])"
    run = start(script(both)).run
    held_until_it_dies(run, monkeypatch, "x", "y")
    made = Run.objects.get(pk=fork(run.pk, 2).run_id)
    assert (marked(go_on(made)), marked(go_on(run))) == ([], ["x", "y"])
    assert sorted(executed) == ["x", "x", "x", "y", "y", "y"]
