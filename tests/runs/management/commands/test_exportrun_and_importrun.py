"""exportrun and importrun: files, what they say, and what they refuse."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commanding import command
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from files import emptied
from going import begun, define_tools
from helpers import ROOT
from lives import CHILD

from runs.models import Run
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)
TREE = f"const a = await ctx.delegate({{script: {CHILD!r}, input: 1}}); return [a, await ctx.call('note', {{v: 2}})]"


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.daybook"


def test_a_run_goes_through_a_file(file: Path) -> None:
    run = begun(TREE, title="Out")
    out = command("exportrun", run.pk, "--tree", "-o", str(file)).succeeded().out
    assert out.startswith(f"{file}: 2 runs, 6 entries, ")
    emptied()
    done = command("importrun", str(file)).succeeded()
    assert done.out == f"{run.pk}\n"
    assert "2 runs with 6 entries imported, as copies that are only read" in done.err
    entry = LogEntry.objects.get()
    assert entry.object_id == run.pk
    assert entry.change_message.startswith("import\n")
    out = command("showrun", run.pk).succeeded().out
    assert "\nImported copy\n  when it was exported: Succeeded in " in out
    assert command("showrun", run.pk, "--json").json["imported"]["status"] == "succeeded"
    again = command("importrun", str(file), "--json").succeeded().json
    assert (again["created"], again["runs"], again["id"]) == (False, 2, run.pk)
    assert LogEntry.objects.count() == 1


def test_a_copy_gives_the_same_file_again(file: Path, tmp_path: Path) -> None:
    run = begun(TREE)
    command("exportrun", run.pk, "--tree", "-o", str(file)).succeeded()
    emptied()
    command("importrun", str(file)).succeeded()
    command("exportrun", run.pk, "--tree", "-o", str(tmp_path / "again")).succeeded()
    assert (tmp_path / "again").read_bytes() == file.read_bytes()


def test_a_file_that_is_there_is_overwritten_only_when_that_is_said(file: Path) -> None:
    run = begun("return 1")
    file.write_bytes(b"mine")
    command("exportrun", run.pk, "-o", str(file)).refused("is there already", "--force")
    assert file.read_bytes() == b"mine"
    command("exportrun", run.pk, "-o", str(file), "--force").succeeded()
    assert file.read_bytes()[:3] == b"\xd9\xd9\xf7"
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_what_is_refused_leaves_no_file(file: Path) -> None:
    run = begun("return {a: 1}")
    command("exportrun", run.pk, "--redact", "output.b", "-o", str(file)).refused("nothing is at output.b")
    command("exportrun", run.pk, "-o", str(file.parent)).refused("is a directory")
    command("exportrun", run.pk, "-o", str(file.parent / "no" / "where")).refused("cannot be written")
    command("exportrun", "0" * 26, "-o", str(file)).refused("there is no run")
    assert list(file.parent.iterdir()) == []


def test_the_readable_form_is_one_json_object(file: Path) -> None:
    run = begun(TREE)
    told = command("exportrun", run.pk, "--json", "--redact", "calls.*.output").succeeded().json
    assert (told["run"]["id"], told["run"]["redacted"]) == (run.pk, ["calls.*.output"])
    command("exportrun", run.pk, "--tree", "--json", "-o", str(file), "--redact", "output").succeeded()
    tree = json.loads(file.read_text())
    assert tree["format"] == "daybook.tree/1"
    assert tree["runs"][0]["run"]["id"] == run.pk
    assert tree["runs"][0]["run"]["output"] == "[redacted]"


def test_an_import_names_its_owner_or_says_that_there_is_no_such_user(file: Path) -> None:
    run = begun("return 1")
    command("exportrun", run.pk, "-o", str(file)).succeeded()
    emptied()
    command("importrun", str(file), "--owner", "nobody").refused("there is no user 'nobody'")
    vera = User.objects.create_user("vera")
    assert command("importrun", str(file), "--dry-run", "--json").succeeded().json["dryRun"] is True
    assert not Run.objects.exists()
    command("importrun", str(file), "--owner", "vera").succeeded()
    assert Run.objects.get().owner == vera


def test_a_foreign_file_is_refused_by_name(file: Path) -> None:
    file.write_bytes(b"PK\x03\x04 not ours")
    done = command("importrun", str(file)).refused("this is no export of a run")
    assert done.out == ""
    assert command("importrun", str(file), "--json").json["error"]["code"] == "bad-file"
    command("importrun", str(file.parent / "none")).refused("there is no file")


def test_verbs_of_the_command_line_refuse_a_copy_by_name(file: Path) -> None:
    run = begun("await ctx.waitForEvent({}); return 1")
    command("exportrun", run.pk, "-o", str(file)).succeeded()
    emptied()
    command("importrun", str(file)).succeeded()
    for words in (("cancelrun",), ("retryrun",), ("retryrun", "--rewind", "1")):
        command(words[0], run.pk, *words[1:]).refused("is an imported copy, which is only read")
    assert "imported copy" in command("signalrun", run.pk, "go").err
    assert Run.objects.get().status == "imported"


def test_standard_output_gets_the_same_bytes(make_house: Callable[..., Any], tmp_path: Path) -> None:
    house = make_house()
    script = tmp_path / "s.js"
    script.write_text("export default (input) => input")
    run_id = house.manage("startrun", str(script), "--inline", "--input", "7").stdout.split()[0]
    house.manage("exportrun", run_id, "-o", str(tmp_path / "f"))
    piped = subprocess.run(
        [sys.executable, "manage.py", "exportrun", run_id],
        cwd=ROOT,
        env=house.environ,
        capture_output=True,
        check=True,
    )
    assert piped.stdout == (tmp_path / "f").read_bytes()
    assert piped.stderr == b""
