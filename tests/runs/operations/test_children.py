"""What becomes of children when the calls that made them happen again: the operator is asked."""

from typing import Any
from unittest.mock import Mock

import pytest
from going import begun, executed, go_on

from runs import queue
from runs.errors import NotPossible
from runs.models import Message, Run
from runs.operations import fork, retry, rewind
from runs.signals import send

pytestmark = pytest.mark.django_db(transaction=True)
CHILD = "export default async (input, ctx) => (await ctx.waitForEvent({signal: 'go'})).payload"
PARENT = f"""
  const a = await ctx.call('note', {{v: 'a'}});
  return [a, await ctx.delegate({{script: {CHILD!r}}})];
"""


@pytest.fixture
def parent() -> Run:
    run = begun(PARENT)
    assert (run.status, run.children.count()) == ("waiting", 1)
    return run


def test_c41_what_becomes_of_a_live_child_is_asked(parent: Run) -> None:
    child = parent.children.get()
    for verb in (rewind, fork):
        with pytest.raises(NotPossible, match=rf"have not ended: {child.pk} \(call 2\).*keep lets.*cancel cancels"):
            verb(parent.pk, 2)
        assert verb(parent.pk, 2, dry_run=True).live_children == [child.pk]
    assert Run.objects.count() == 2
    assert Run.objects.get(pk=parent.pk).attempt == 1


def test_c41_a_child_that_is_kept_goes_on_and_answers_nobody(parent: Run) -> None:
    child = parent.children.get()
    rewind(parent.pk, 2, children="keep")
    go_on(parent)
    (new,) = Run.objects.filter(parent=parent, parent_call_seq__isnull=False)
    assert new.pk != child.pk
    send(child.pk, "go", "old")
    assert go_on(child).output == "old"
    assert go_on(parent).status == "waiting"
    assert not Message.objects.filter(run=parent).exists()
    send(new.pk, "go", "new")
    assert go_on(parent).output == ["a", "new"]
    assert executed == ["a"]


def test_c41_a_child_that_is_canceled_ends_and_the_call_makes_another(parent: Run) -> None:
    child = parent.children.get()
    rewind(parent.pk, 2, children="cancel")
    assert Run.objects.get(pk=child.pk).status == "canceled"
    assert go_on(parent).status == "waiting"
    assert Run.objects.filter(parent=parent, status="waiting").count() == 1


def test_c41_a_fork_makes_a_child_of_its_own_and_the_old_run_keeps_waiting_for_its(parent: Run) -> None:
    child = parent.children.get()
    made = go_on(Run.objects.get(pk=fork(parent.pk, 2, children="keep").run_id))
    own = made.children.get()
    send(child.pk, "go", "old")
    send(own.pk, "go", "new")
    assert go_on(parent).output == ["a", "old"]
    assert go_on(made).output == ["a", "new"]


def test_a_child_that_ended_while_its_parent_had_ended_answers_the_next_attempt() -> None:
    run = begun(
        f"const c = ctx.delegate({{script: {CHILD!r}}});"
        " const b = await ctx.call('once', {v: 'b'}); return [b, await c]"
    )
    child = run.children.get()
    assert run.status == "failed"
    send(child.pk, "go", "late")
    go_on(child)
    retry(run.pk)
    assert go_on(run).output == ["b well", "late"]
    assert run.children.count() == 1


def test_a_failed_child_s_call_is_made_again_with_another_child() -> None:
    failing = "export default (input, ctx) => ctx.call('once', {v: 'in child'})"
    run = begun(f"return ctx.delegate({{script: {failing!r}}})")
    assert run.status == "failed"
    retry(run.pk)
    run = go_on(run)
    assert (run.status, run.output, run.children.count()) == ("succeeded", "in child well", 2)


def test_a_child_whose_parent_has_the_answer_is_not_revived() -> None:
    failing = "export default (input, ctx) => ctx.call('once', {v: 'in child'})"
    run = begun(f"await ctx.delegate({{script: {failing!r}}}).catch(() => 0); await ctx.waitForEvent({{}})")
    with pytest.raises(NotPossible, match="has its answer already; rewind the parent to call 1, or fork this run"):
        retry(run.children.get().pk)
    assert go_on(Run.objects.get(pk=fork(run.children.get().pk, 1).run_id)).output == "in child well"


MIDDLE = f"export default (input, ctx) => ctx.delegate({{script: {CHILD!r}}})"


@pytest.fixture
def tree() -> tuple[Run, Run, Run]:
    """A parent that waits for a child that waits for another."""
    run = begun(f"await ctx.call('note', {{v: 'a'}}); return ctx.delegate({{script: {MIDDLE!r}}})")
    child = run.children.get()
    return run, child, child.children.get()


class Died(BaseException):
    """Stands for a process that dies there."""


@pytest.mark.parametrize("verb", [rewind, fork])
def test_children_end_although_the_process_dies_right_after_the_operation(
    verb: Any, tree: tuple[Run, Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, child, leaf = tree
    monkeypatch.setattr("runs.operations.children.cancel", Mock(side_effect=Died))
    with pytest.raises(Died):
        verb(run.pk, 2, children="cancel")
    done = Run.objects.get(pk=run.pk).attempt == 2 if verb is rewind else run.forks.count() == 1
    assert done, "the operation itself was committed"
    assert go_on(child).status == go_on(leaf).status == "canceled"
    assert "is made again" in go_on(leaf).cancel_reason or "was forked as" in go_on(leaf).cancel_reason
    goes_on = run if verb is rewind else run.forks.get()
    (new,) = Run.objects.filter(parent=goes_on).exclude(pk=child.pk)
    send(new.children.get().pk, "go", "new")
    assert go_on(goes_on).output == "new"


@pytest.mark.parametrize("verb", [rewind, fork])
def test_children_are_left_alone_where_the_operation_does_not_happen(
    verb: Any, tree: tuple[Run, Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, child, leaf = tree
    monkeypatch.setattr("journal.store.append", Mock(side_effect=Died))
    with pytest.raises(Died):
        verb(run.pk, 2, children="cancel")
    for one in (child, leaf):
        one.refresh_from_db()
        assert (one.status, one.cancel_requested_at, one.parent_call_seq is None) == ("waiting", None, False)
    assert not run.forks.exists()


def test_a_child_with_a_worker_is_told_in_the_operation_itself(
    tree: tuple[Run, Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _, leaf = tree
    send(leaf.pk, "go")
    (held,) = queue.claim("w", only=leaf.pk)
    monkeypatch.setattr("runs.operations.children.cancel", Mock(side_effect=Died))
    with pytest.raises(Died):
        rewind(run.pk, 2, children="cancel")
    assert queue.standing({held.pk: held.fence})[leaf.pk].cancel == f"call of run {run.pk} is made again"
