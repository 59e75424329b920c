"""tailrun: entries as they come, of one run, its successors or its tree, as lines and as JSON."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commanding import command
from going import begun, define_tools, go_on
from helpers import ROOT
from lives import CHILD

from runs.commands.follow import follow_tree
from runs.models import Run
from runs.signals import send
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)
NOTES = "for (let i = 0; i < 3; i++) await ctx.call('note', {v: i}); return 1"


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


def seqs(out: str) -> list[int]:
    return [int(line.split()[0]) for line in out.splitlines()]


def test_a_run_that_has_ended_is_told_once_and_left() -> None:
    run = begun(NOTES)
    done = command("tailrun", run.pk).succeeded()
    assert seqs(done.out) == [1, 2, 3, 4, 5, 6]
    assert done.err.startswith("Succeeded in ")
    assert seqs(command("tailrun", run.pk, "--after", "4").succeeded().out) == [5, 6]
    assert seqs(command("tailrun", run.pk, "--last", "1").succeeded().out) == [6]
    assert seqs(command("tailrun", run.pk, "--last", "5", "--after", "4").succeeded().out) == [5, 6]
    command("tailrun", run.pk, "--after", "-1").refused("--after")
    command("tailrun", "0" * 26).refused("there is no run")


def test_json_is_an_object_a_line() -> None:
    run = begun(NOTES)
    told = [json.loads(line) for line in command("tailrun", run.pk, "--json").succeeded().out.splitlines()]
    assert [(each["run"], each["seq"], each["kind"]) for each in told[:2]] == [
        (run.pk, 1, "call"),
        (run.pk, 2, "result"),
    ]


def test_successors_are_followed() -> None:
    run = begun("if (input < 2) await ctx.continueAsNew(input + 1); return await ctx.call('note', {v: input})", input=0)
    done = command("tailrun", run.pk, "--json").succeeded()
    last = Run.objects.get(successor="", root=run.root_id)
    assert {json.loads(line)["run"] for line in done.out.splitlines()} == {last.pk}
    assert f"continued as {last.pk}" in done.err


def test_a_tree_is_told_with_the_end_of_each_id() -> None:
    run = begun(f"return await ctx.delegate({{script: {CHILD!r}, input: 1}})")
    child = Run.objects.get(parent=run)
    out = command("tailrun", child.pk, "--tree").succeeded().out
    assert [line.split()[0] for line in out.splitlines()] == [run.pk[-6:]] * 2 + [child.pk[-6:]] * 2


def test_what_is_written_meanwhile_is_told_once() -> None:
    run = begun("await ctx.call('note', {v: 1}); await ctx.waitForEvent({}); return 1")
    told: list[int] = []
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            send(run.pk, "go")
            go_on(run)

    follow_tree(run.pk, {}, lambda _run_id, entry: told.append(entry.seq), wait)
    assert told == [1, 2, 3, 4]
    assert len(waits) == 2


def test_ctrl_c_leaves_the_run_alone(make_house: Callable[..., Any], tmp_path: Path) -> None:
    house = make_house()
    script = tmp_path / "s.js"
    script.write_text("export default async (input, ctx) => { console.log('here'); await ctx.waitForEvent({}) }")
    begun_here = house.manage("startrun", str(script), "--inline", "--wait", "2", "--json", check=False)
    run_id = json.loads(begun_here.stdout)["id"]
    tail = subprocess.Popen(
        [sys.executable, "manage.py", "tailrun", run_id],
        cwd=ROOT,
        env=house.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert tail.stdout is not None
    assert "info: here" in tail.stdout.readline()
    tail.send_signal(signal.SIGINT)
    _, err = tail.communicate()
    assert tail.returncode == 3
    assert err.startswith("No longer following; ")
    assert err.endswith("CommandError: interrupted\n")
    assert json.loads(house.manage("showrun", run_id, "--json").stdout)["status"] in ("waiting", "queued")
