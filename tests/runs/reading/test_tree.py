"""Where a run stands among others, in a constant number of queries."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from going import begun

from runs.models import Run
from runs.operations import fork
from runs.reading import tree
from runs.reading.tree import Family

pytestmark = pytest.mark.django_db(transaction=True)
TWO_LEVELS = """
  const leaf = 'export default async (n) => { if (n > 1) throw new Error("no"); return n }';
  const middle = `export default (n, ctx) => ctx.delegate({script: ${JSON.stringify(leaf)}, input: n, title: 'Leaf'})`;
  return ctx.parallelSettled([1, 2].map((n) => () => ctx.delegate({script: middle, input: n, title: `Middle ${n}`})));
"""


def family(run: Run) -> Family:
    return tree.family(run, lambda _: True)


def test_children_are_in_the_order_of_their_calls_and_counted_by_status() -> None:
    near = family(begun(TWO_LEVELS))
    assert [child.title for child in near.children] == ["Middle 1", "Middle 2"]
    assert near.counts == {"succeeded": 1, "failed": 1}
    assert (near.ancestors, near.more) == ([], 0)


def test_ancestors_come_from_the_root_down(
    django_assert_num_queries: Callable[[int], AbstractContextManager[None]],
) -> None:
    root = begun(TWO_LEVELS)
    leaf = Run.objects.filter(root=root, title="Leaf").first()
    assert leaf is not None
    with django_assert_num_queries(5):
        near = family(leaf)
        assert [run.pk for run in near.ancestors] == [root.pk, leaf.parent_id]
        assert [run.title for run in near.ancestors][1].startswith("Middle")
        assert all(run.wait is None and run.wake_at is None for run in near.ancestors)


def test_a_list_of_children_is_bounded_and_says_how_many_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "CHILDREN", 1)
    near = family(begun(TWO_LEVELS))
    assert (len(near.children), near.more) == (1, 1)


def test_successors_and_forks_know_each_other() -> None:
    first = begun("if (input === 2) return ctx.call('note', {v: 1}); return ctx.continueAsNew(2)")
    after = family(first).after
    assert after is not None
    before = family(after).before
    assert before is not None
    assert before.pk == first.pk
    forked = Run.objects.get(pk=fork(after.pk, 1).run_id)
    assert [run.pk for run in family(after).forks] == [forked.pk]
    origin = family(forked).forked_from
    assert origin is not None
    assert origin.pk == after.pk


def test_who_does_not_see_a_run_is_told_of_none() -> None:
    origin = begun("await ctx.call('note', {v: 1})")
    forked = Run.objects.get(pk=fork(origin.pk, 1).run_id)
    assert not tree.family(origin, lambda other: other.pk != forked.pk)
    assert not tree.family(forked, lambda other: other.pk != origin.pk)


def test_a_run_that_stands_alone_has_no_family() -> None:
    assert not family(begun("return 0"))
