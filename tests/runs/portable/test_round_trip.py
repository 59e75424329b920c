"""What is exported and imported is the same run, and gives the same bytes again, on whichever database."""

import json
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from files import elsewhere, exported
from going import begun
from lives import KINDS, lives

from journal import store
from journal.models import Journal, RunJournal
from runs import audit
from runs.models import Message, Run, Source

pytestmark = pytest.mark.django_db(transaction=True)
COUNTS = [len(KINDS), pytest.param(200, marks=pytest.mark.heavy)]


def test_a_run_comes_back_as_a_copy_and_gives_the_same_bytes(tmp_path: Path) -> None:
    run = begun("return await ctx.call('note', {v: 'x\\u0000\\ud800'})", title="Ünï", key="k-1")
    data, entries = exported(run), store.read(run.pk)
    made = elsewhere(tmp_path, data)
    assert (made.created, made.root, made.runs) == (True, run.pk, 1)
    copy = Run.objects.select_related("journal").get()
    assert (copy.pk, copy.status, copy.title, copy.output) == (run.pk, "imported", "Ünï", "x\0\ud800")
    assert store.read(copy.pk) == entries
    assert exported(copy) == data


def test_the_same_run_gives_the_same_bytes_each_time() -> None:
    run = begun("await ctx.call('note', {v: 1}); await ctx.waitForEvent({})")
    assert exported(run) == exported(run)


def test_what_was_done_to_a_run_goes_along_where_that_is_asked_for_and_no_host_does(tmp_path: Path) -> None:
    run = begun("return 1")
    audit.record(None, run, "retry", "the bank is back", attempt=2)
    data = exported(run, deeds=True)
    assert b"the bank is back" in data
    assert b"the bank is back" not in exported(run)
    assert socket.gethostname().encode() not in data
    elsewhere(tmp_path, data)
    assert exported(run.pk, deeds=True) == data


def test_a_run_alone_and_in_its_tree_are_two_files_of_the_same_run(tmp_path: Path) -> None:
    run = begun("return await ctx.delegate({script: 'export default (n) => n', input: 1})")
    alone, tree = exported(run), exported(run, tree=True)
    elsewhere(tmp_path, alone)
    assert exported(run) == alone
    elsewhere(tmp_path, tree)
    assert (exported(run), exported(run, tree=True)) == (alone, tree)


def exchanged(folder: Path, environ: dict[str, str], vendor: str) -> None:
    """The other installation has exported what it was given as the same bytes, and found nothing wrong with it."""
    (folder / "data").mkdir()
    environ = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | environ
    command = [sys.executable, str(Path(__file__).with_name("elsewhere.py")), str(folder)]
    environ |= {"DAYBOOK_DATA_DIR": str(folder / "data")}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads((folder / "told.json").read_text()) == {"vendor": vendor}
    files = list(folder.glob("*.daybook"))
    assert len(files) >= len(KINDS)
    for file in files:
        assert file.with_suffix(".again").read_bytes() == file.read_bytes(), file


def written(folder: Path, count: int, *, deeds: bool) -> None:
    """The files of so many lives, each with its tree."""
    for _, run in lives(count, seed=count):
        root = run.root_id
        (folder / f"{root}.daybook").write_bytes(exported(root, tree=True, deeds=deeds))


@pytest.mark.parametrize("count", COUNTS)
def test_files_go_to_sqlite_and_come_back(tmp_path: Path, count: int) -> None:
    written(tmp_path, count, deeds=True)
    exchanged(tmp_path, {}, "sqlite")


@pytest.mark.postgres
@pytest.mark.parametrize("count", COUNTS)
def test_files_go_to_postgresql_and_come_back(tmp_path: Path, count: int, postgres_url: str) -> None:
    written(tmp_path, count, deeds=True)
    exchanged(tmp_path, {"DATABASE_URL": postgres_url}, "postgresql")


def rows_of(*models: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(model._meta.label, row) for model in models for row in model.objects.order_by("pk").values()]


@pytest.mark.postgres
def test_the_rows_themselves_give_the_same_bytes_on_another_database(tmp_path: Path, postgres_url: str) -> None:
    written(tmp_path, len(KINDS), deeds=False)
    moved = rows_of(Journal, Source, Run, RunJournal, Message)
    (tmp_path / "rows.pickle").write_bytes(pickle.dumps(moved))
    exchanged(tmp_path, {"DATABASE_URL": postgres_url}, "postgresql")


def test_a_run_that_is_written_to_meanwhile_is_exported_as_of_one_moment(tmp_path: Path) -> None:
    """What commits after the look has begun is not in it: the head of the journal and its entries agree."""
    from runs.portable import snapshot as module

    run = begun("await ctx.call('note', {v: 1}); await ctx.waitForEvent({})")
    read = module._entries

    def meanwhile(journal_id: str) -> Any:
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                cursor.execute("UPDATE journal SET next_seq = next_seq + 1 WHERE run_id = %s", [journal_id])
                cursor.execute("DELETE FROM run_journal WHERE run_id = %s AND seq = 3", [journal_id])
        finally:
            other.close()
        return read(journal_id)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_entries", meanwhile)
        data = exported(run)
    assert elsewhere(tmp_path, data).entries == 3
