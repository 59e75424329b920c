"""A cancel beside workers, who may have ended a run between any two of its steps."""

from typing import Any

import pytest

from runs import cancelling
from runs.cancelling import cancel
from runs.errors import NotPossible
from runs.lifecycle import Move, move
from runs.models import Run
from runs.starting import start

pytestmark = pytest.mark.django_db
SOURCE = "export default async (input, ctx) => await ctx.waitForEvent({})"


@pytest.fixture
def tree() -> list[Run]:
    """A root and a run below it."""
    root, child = start(SOURCE).run, start(SOURCE).run
    Run.objects.filter(pk=child.pk).update(root=root, parent=root, depth=1)
    return [root, child]


def test_what_workers_end_as_soon_as_they_are_asked_was_canceled(
    tree: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_all, deeds = cancelling._asked_all, list[str]()

    def and_all_end(*given: Any) -> int:
        asked = asked_all(*given)
        assert move(Run.objects.all(), Move.CANCEL) == 2
        return asked

    monkeypatch.setattr(cancelling, "_asked_all", and_all_end)
    done = cancel(tree[0].pk, also=lambda run: deeds.append(run.pk))
    assert (done.done, done.told, deeds) == ([], [], [tree[0].pk])
    with pytest.raises(NotPossible, match="has ended"):
        cancel(tree[0].pk)


def test_it_is_written_down_once_also_where_others_have_ended_meanwhile(
    tree: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, child = tree
    move(Run.objects.filter(pk=child.pk), Move.CANCEL)
    looks = iter([[root.pk], [root.pk, child.pk]])  # the child had not ended when it was looked at
    monkeypatch.setattr(cancelling, "_below", lambda _run: next(looks, []))
    deeds: list[str] = []
    assert cancel(root.pk, also=lambda run: deeds.append(run.pk)).done == [root.pk]
    assert deeds == [root.pk]
