"""A finished run, replayed in memory from its journal with executing forbidden: it must say what the live run said."""

from typing import Any

from journal import codec, store
from journal.models import Journal
from runs import replayable
from runs.host import Call, Completion, Failed, Host, Succeeded
from runs.host.memory import MemoryClock, MemoryJournal
from runs.host.outcome import Outcome
from runs.lifecycle import Status
from runs.models import Run
from runs.workers.limits import host_limits


class NoEffects:
    """An `EffectsPort` that executes nothing."""

    def transactional(self, tool: str) -> bool:
        return False

    def timeout_ms(self, tool: str) -> float | None:
        return None

    def start(self, call: Call) -> None:
        raise AssertionError(f"the replay executes call {call.call_seq} ({call.tool})")

    def execute(self, call: Call) -> Completion:
        raise AssertionError(f"the replay executes call {call.call_seq} ({call.tool})")

    def wait(self, seconds: float | None) -> list[Completion]:
        raise AssertionError("the replay waits, so the journal lacks an answer")

    def poke(self) -> None:
        pass


def replay(run: Run) -> tuple[Outcome, list[Any]]:
    """The outcome of the replay and the entries that it would have added."""
    journal = MemoryJournal(replayable.read(run.journal_id))
    recorded = len(journal.entries)
    host = Host(
        run_id=run.pk,
        source=run.source.text,
        input=run.input,
        journal=journal,
        effects=NoEffects(),
        clock=MemoryClock(),
        limits=host_limits(run),
    )
    return host.advance(), [entry.body for entry in journal.entries[recorded:]]


def assert_replay_agrees(run: Run) -> None:
    """Same status and output, byte for byte, nothing added to the journal."""
    outcome, added = replay(run)
    assert added == []
    match outcome:
        case Succeeded(output):
            assert run.status == Status.SUCCEEDED
            assert codec.encode(output) == codec.encode(run.output)
        case Failed(error):
            assert run.status == Status.FAILED
            assert codec.encode(error) == codec.encode(run.error)
        case _:
            raise AssertionError(f"the replay ended as {outcome}")


def assert_whole(run: Run) -> None:
    """seq is 1..n, the journal's row knows its sizes, no call is answered twice and none of a finished run is open."""
    entries = store.read(run.journal_id)
    journal = Journal.objects.get(pk=run.journal_id)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert journal.next_seq == len(entries) + 1
    assert journal.bytes == sum(len(entry.data) for entry in entries)
    for begins, ends in (("call", "result"), ("timer", "fired")):
        opened = [entry.call_seq for entry in entries if entry.kind == begins and "retry" not in entry.body]
        closed = [entry.call_seq for entry in entries if entry.kind == ends and "retry" not in entry.body]
        assert len(opened) == len(set(opened))
        assert len(closed) == len(set(closed))
        assert set(closed) <= set(opened)
        if run.status == Status.SUCCEEDED and begins == "call":
            assert set(closed) == set(opened)
