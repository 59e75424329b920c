"""Journals recorded by earlier versions replay to the outcome that they had, execute nothing and append nothing."""

import sys
from pathlib import Path

import cbor2
import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "runs" / "host"))

import driving  # noqa: E402

from journal import codec  # noqa: E402
from journal.entries import Entry  # noqa: E402
from runs.host import Call, Completion  # noqa: E402
from runs.host.memory import MemoryClock  # noqa: E402

FILES = sorted(HERE.glob("*.cbor"))


def test_there_are_histories_of_the_first_realm_version() -> None:
    assert len([file for file in FILES if file.name.startswith("v1-")]) >= 6


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_journal_replays_as_it_was_lived(file: Path) -> None:
    history = cbor2.loads(file.read_bytes())
    entries = [Entry(seq, at, codec.decode(data), data) for seq, at, data in history["entries"]]

    def no_tool(call: Call) -> Completion:
        raise AssertionError(f"the replay executed {call}")

    clock = MemoryClock(entries[-1].at)
    again = driving.drive(history["source"], input=history["input"], journal=entries, tool=no_tool, clock=clock)
    assert again.text == history["outcome"]
    assert len(again.journal.entries) == len(entries)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_would_be_written_today_is_what_was_recorded(file: Path) -> None:
    history = cbor2.loads(file.read_bytes())
    for _, _, data in history["entries"]:
        assert codec.encode(codec.decode(data)) == data
