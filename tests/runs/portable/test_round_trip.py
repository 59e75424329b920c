"""What is exported and imported is the same run, and gives the same bytes again."""

from pathlib import Path

import pytest
from files import elsewhere, emptied, exported, imported
from going import begun
from lives import KINDS, lives

from journal import store
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_comes_back_as_a_copy_and_gives_the_same_bytes(tmp_path: Path) -> None:
    run = begun("return await ctx.call('note', {v: 'x\\u0000\\ud800'})", title="Ünï", key="k-1")
    data, entries = exported(run), store.read(run.pk)
    made = elsewhere(tmp_path, data)
    assert (made.created, made.root, made.runs) == (True, run.pk, 1)
    copy = Run.objects.select_related("journal").get()
    assert (copy.pk, copy.status, copy.title, copy.output) == (run.pk, "imported", "Ünï", "x\0\ud800")
    assert store.read(copy.pk) == entries
    assert exported(copy) == data


def test_every_kind_of_life_comes_back(tmp_path: Path) -> None:
    files = {f"{kind} {run.pk}": (run.pk, exported(run, tree=True, deeds=True)) for kind, run in lives(len(KINDS))}
    emptied()
    for named, (_, data) in files.items():
        assert imported(tmp_path, data).created, named
    for named, (pk, data) in files.items():
        assert exported(pk, tree=True, deeds=True) == data, named
