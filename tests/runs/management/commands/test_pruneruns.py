"""The command that deletes what has ended: what it is told, what it says, and how it is stopped."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from commanding import command
from django.contrib.admin.models import LogEntry

from runs import library
from runs.models import Run
from runs.pruning import pruning

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "pruning"))

from growing import SCRIPT, child, left, old

pytestmark = pytest.mark.django_db


def test_it_deletes_what_is_older_and_says_how_much() -> None:
    child(old())
    young = old(days=1)
    told = command("pruneruns", "--older-than", "5d", "--reason", "spring").succeeded()
    assert told.out.startswith("2 runs in 1 trees deleted, with 2 entries; ")
    assert left() == {young.pk}
    assert LogEntry.objects.get().change_message.startswith("prune: spring\n")
    told = command("pruneruns", "--older-than", "1h", "--json").succeeded().json
    assert told.pop("seconds") >= 0
    assert told.pop("before").endswith("+00:00")
    assert told == {"dryRun": False, "trees": 1, "runs": 1, "entries": 1, "sources": 1, "whole": True}


def test_a_dry_run_counts_and_changes_nothing() -> None:
    child(old())
    assert command("pruneruns", "--older-than", "5d", "--dry-run").out == "2 runs in 1 trees would be deleted\n"
    told = command("pruneruns", "--older-than", "1w", "--dry-run", "--json").succeeded().json
    assert (told["dryRun"], told["trees"], told["runs"]) == (True, 1, 2)
    assert (Run.objects.count(), LogEntry.objects.count()) == (2, 0)


@pytest.mark.parametrize(
    ("arguments", "stay"),
    [
        (["--status", "failed"], {"succeeded", "canceled", "script"}),
        (["--status", "failed", "canceled"], {"succeeded", "script"}),
        (["--keep-failed"], {"failed"}),
        (["--script", "report"], {"succeeded", "failed", "canceled"}),
        (["--limit", "3", "--batch", "1"], {"script"}),
    ],
)
def test_what_stays(arguments: list[str], stay: set[str]) -> None:
    for status in ("succeeded", "failed", "canceled"):
        old(status=status, title=status)
    old(title="script", script=library.save("report", SCRIPT).script)
    command("pruneruns", "--older-than", "5d", *arguments).succeeded()
    assert set(Run.objects.values_list("title", flat=True)) == stay


@pytest.mark.parametrize("age", ["", "30", "d", "-3d", "0d", "1.5d", "30days", "1y", "99999999999d", "٣d"])
def test_an_age_that_is_none_is_refused(age: str) -> None:
    old()
    command("pruneruns", f"--older-than={age}").refused("--older-than")
    assert left()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--older-than"),
        (["--older-than", "1d", "--status", "running"], "invalid choice: 'running'"),
        (["--older-than", "1d", "--status", "failed", "--keep-failed"], "leave nothing to delete"),
        (["--older-than", "1d", "--script", "nobody"], "no script of that name"),
        (["--older-than", "1d", "--batch", "0"], "at least 1"),
        (["--older-than", "1d", "--batch", "10001"], "at most 10000"),
        (["--older-than", "1d", "--limit", "none"], "whole number"),
    ],
)
def test_nonsense_is_refused_and_nothing_is_deleted(arguments: list[str], words: str) -> None:
    old()
    command("pruneruns", *arguments).refused(words)
    assert left()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_after_the_batch_and_the_same_command_goes_on(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = signal.getsignal(number)
    for _ in range(6):
        old()
    real = pruning.delete

    def interrupted(*given: Any) -> Any:
        os.kill(os.getpid(), number)
        return real(*given)

    monkeypatch.setattr(pruning, "delete", interrupted)
    told = command("pruneruns", "--older-than", "5d", "--batch", "2", "--json")
    assert (told.code, told.json["runs"], told.json["whole"]) == (3, 2, False)
    assert "stopping after this batch" in told.err
    assert "goes on" in told.err
    assert signal.getsignal(number) == before
    monkeypatch.undo()
    assert command("pruneruns", "--older-than", "5d", "--json").succeeded().json["runs"] == 4
    assert not left()


def test_a_second_one_does_not_wait_and_undoes_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        old()
    real, batches = pruning.delete, iter([0, 2])

    def interrupted(*given: Any) -> Any:
        for _ in range(next(batches)):
            os.kill(os.getpid(), signal.SIGINT)
        return real(*given)

    monkeypatch.setattr(pruning, "delete", interrupted)
    told = command("pruneruns", "--older-than", "5d", "--batch", "2")
    assert told.code == 3
    assert "2 runs had been deleted by then; the same command again goes on" in told.err
    assert len(left()) == 2
