"""Operations in memory: cut a journal, rehearse a source against it, write what remains as a journal that goes on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from journal import bodies
from journal.entries import Entry
from runs.host import NewChild
from runs.host.memory import MemoryClock, MemoryJournal
from runs.host.rehearsal import Rehearsal, Stood
from runs.operations.changes import Changes, changes_of, still_good
from runs.operations.cutting import Cut, whole
from runs.operations.report import DryReplay, report_of


@dataclass
class Rehearsed:
    cut: Cut
    stood: Stood
    changes: Changes
    report: DryReplay
    remains: list[Entry]


def rehearse(
    source: str, entries: Sequence[Entry], cut: Callable[[Sequence[Entry]], Cut] = whole, at: int = 0
) -> Rehearsed:
    made = cut(entries)
    last = max((entry.call_seq for entry in entries), default=0)
    notice = bodies.attempt(2, "retried", last)
    journal = MemoryJournal([*made.kept, Entry.of(len(entries) + 1, at, notice)])
    clock = MemoryClock(at) if at else MemoryClock()
    stood = Rehearsal(run_id="run-1", source=source, input=None, journal=journal, prepare=_child, clock=clock).stand()
    changes = changes_of(made, stood)
    kept = still_good(made, stood)
    notice |= {"kept": kept}
    remains = [(entry.at, entry.body) for entry in made.kept if entry.seq not in changes.superseded]
    remains += [(clock.now(), body) for body in [notice, *changes.appended]]
    rows = [Entry.of(seq, when, body) for seq, (when, body) in enumerate(remains, 1)]
    return Rehearsed(made, stood, changes, report_of(entries, made, stood, kept), rows)


def _child(call_seq: int, spec: dict[str, Any]) -> tuple[NewChild | None, dict[str, Any] | None]:
    return NewChild(f"child-{call_seq}", call_seq, spec.get("input"), source=spec.get("script")), None


def seqs(calls: Sequence[Any]) -> list[int]:
    return [call.call_seq for call in calls]
