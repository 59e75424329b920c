"""verifyrun, checkjournal and runstats as commands: what they say, their exit codes, and going on after an id."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commanding import command
from going import begun, define_tools

from journal.models import Journal, RunJournal
from runs.models import Run, Source
from runs.tools import registered

pytestmark = pytest.mark.django_db(transaction=True)
BODY = "const a = await ctx.call('note', {v: 1});\nreturn a"


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    with registered():
        define_tools()
        yield


def changed(run: Run) -> Run:
    text = "export default async (input, ctx) => {\n await ctx.call('note', {v: 2}) }"
    Run.objects.filter(pk=run.pk).update(source=Source.keep(text))
    return run


def test_runs_that_agree_are_0_and_one_that_has_diverged_is_1() -> None:
    runs = [begun(BODY) for _ in range(3)]
    assert "3 runs: 3 agree, 0 have diverged, 0 skipped" in command("verifyrun", "--all").succeeded().out
    changed(runs[1])
    done = command("verifyrun", "--all")
    assert done.code == 1
    assert f"{runs[1].pk} diverged (call 1, line 2, tool" in done.out
    told = command("verifyrun", "--all", "--json")
    assert (told.code, told.json["diverged"], told.json["agrees"]) == (1, 1, 2)
    finding = told.json["findings"][0]
    assert (finding["id"], finding["callSeq"], finding["line"]) == (runs[1].pk, 1, 2)
    assert command("verifyrun", runs[0].pk).succeeded().out.startswith("1 runs: 1 agree")
    assert command("verifyrun", runs[1].pk).code == 1


def test_verifying_goes_on_after_an_id_and_ends_at_a_limit() -> None:
    pks = sorted(begun(BODY).pk for _ in range(4))
    told = command("verifyrun", "--all", "--after", pks[0], "--limit", "2", "--json").succeeded().json
    assert (told["runs"], told["last"]) == (2, pks[2])
    for name in ("verifyrun", "checkjournal"):
        done = command(name, "--all", "--limit", "2").succeeded()
        assert f"--after {pks[1]} goes on from there" in done.err
    assert command("verifyrun", "--live", "--json").succeeded().json["runs"] == 0


@pytest.mark.parametrize("name", ["verifyrun", "checkjournal"])
def test_one_run_or_all_and_not_both(name: str) -> None:
    run = begun(BODY)
    command(name).refused("name one run, or give --all")
    command(name, run.pk, "--all").refused("name one run, or give --all")
    command(name, "--all", "--after", "x").refused("--after takes the whole id of a run")
    command(name, "0" * 25 + "1", "--json") if name == "checkjournal" else command(name, "0" * 26).refused("no run")


def test_what_is_wrong_with_a_journal_is_said_and_is_1() -> None:
    runs = [begun(BODY) for _ in range(3)]
    done = command("checkjournal", "--all").succeeded()
    assert "3 runs with 6 entries: nothing found" in done.out
    RunJournal.objects.filter(run_id=runs[1].pk, seq=2).update(entry=b"\xff\xff")
    Journal.objects.filter(pk=runs[2].pk).update(next_seq=9)
    done = command("checkjournal", "--all", "--json")
    assert done.code == 1
    assert done.json["counts"] == {"undecodable": 1, "bytes": 1, "next-seq": 1}
    assert {finding["run"] for finding in done.json["findings"]} == {runs[1].pk, runs[2].pk}
    done = command("checkjournal", runs[2].pk)
    assert (done.code, done.out.splitlines()[0]) == (1, f"{runs[2].pk} next-seq: the next seq is 9, after 2")
    assert command("checkjournal", "--all", "--no-decode", "--json").json["counts"] == {"bytes": 1, "next-seq": 1}


def test_a_run_that_is_not_there_is_told_to_who_checks_it() -> None:
    done = command("checkjournal", "0" * 26)
    assert done.code == 1
    assert "no-run" in done.out


def test_statistics_are_told_in_words_and_as_json() -> None:
    begun(BODY, title="Paid")
    begun("await ctx.call('once', {v: 'x'})")
    begun("await ctx.waitForEvent({})", title="Later")
    out = command("runstats", "--days", "2").succeeded().out
    for words in (
        "1 succeeded",
        "1 failed",
        "Of the last 2 days: 3 runs, took ",
        "Errors: 1 once",
        "Queue interactive: 0",
    ):
        assert words in out
    assert "Later (Waiting for a signal)" in out
    told = command("runstats", "--json").succeeded().json
    assert (told["runs"], told["complete"], told["errors"]) == (3, True, {"once": 1})
    assert told["entries"] == sum(Journal.objects.values_list("next_seq", flat=True)) - 3
    assert told["database"]["bytes"] > 0


def test_several_processes_find_the_same(make_house: Callable[..., Any], tmp_path: Path) -> None:
    house = make_house()
    house.manage("seedruns", "--runs", "120", "--entries")
    told = json.loads(house.manage("verifyrun", "--all", "--workers", "2", "--json").stdout)
    assert (told["runs"], told["agrees"], told["diverged"]) == (120, 120, 0)
    assert json.loads(house.manage("checkjournal", "--all", "--json").stdout)["counts"] == {}
