"""What a retry, rewind or fork comes to, told before it happens: the three lists, and where the script stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from journal.entries import Entry, Kind
from runs.host import Continued, Ending, Succeeded
from runs.host.rehearsal import Stood
from runs.operations.changes import is_call
from runs.operations.cutting import Cut, is_end


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One ctx call. `op`: tool, agent, sleep or wait; `what`: the tool, the child's name, the ms, the signal."""

    call_seq: int
    op: str
    what: str
    input: Any
    line: int

    def as_dict(self) -> dict[str, Any]:
        return {"callSeq": self.call_seq, "op": self.op, "what": self.what, "input": self.input, "line": self.line}


@dataclass(frozen=True, slots=True)
class DryReplay:
    """`reused`: answered from the journal. `new`: executed, now that the script stands where it does. `orphans`: in the
    journal, and not made up to here; those that are `kept` (callSeqs) still answer the same calls, should the script
    come to them. `diverged`: the journal alone, replayed strictly, would have stopped the run."""

    reused: list[CallFacts]
    new: list[CallFacts]
    orphans: list[CallFacts]
    diverged: bool
    ending: Ending | None
    open: list[CallFacts] = field(default_factory=list)
    kept: frozenset[int] = frozenset()

    def as_dict(self) -> dict[str, Any]:
        """The lists under their names; `stands`: how the script has ended, or what it waits for."""
        lists = {name: [call.as_dict() for call in getattr(self, name)] for name in ("reused", "new", "orphans")}
        for orphan in lists["orphans"]:
            orphan["kept"] = orphan["callSeq"] in self.kept
        return {**lists, "diverged": self.diverged, "stands": self._stands()}

    def _stands(self) -> dict[str, Any]:
        match self.ending:
            case None:
                return {"settled": False, "open": [call.as_dict() for call in self.open]}
            case Succeeded(output):
                return {"settled": True, "output": output}
            case Continued(state):
                return {"settled": True, "state": state}
        return {"settled": True, "error": self.ending.error}


def report_of(entries: Sequence[Entry], cut: Cut, stood: Stood, kept: Iterable[int] = ()) -> DryReplay:
    """`entries`: the journal before the cut."""
    left = stood.leftovers
    answered = {entry.call_seq for entry in cut.kept if is_end(entry)}
    unasked = set(left.unasked) | cut.rewound
    made = [entry for entry in cut.kept if is_call(entry) and entry.call_seq not in unasked]
    issued = [entry for entry in stood.round.entries if is_call(entry)]
    waiting = [entry for entry in made if entry.call_seq not in answered]
    opened = set(left.open)
    return DryReplay(
        reused=_facts(entry for entry in made if entry.call_seq in answered),
        new=_facts([*waiting, *issued]),
        orphans=_facts(entry for entry in entries if is_call(entry) and entry.call_seq in unasked),
        diverged=left.strayed,
        ending=stood.ending,
        open=_facts(entry for entry in [*made, *issued] if entry.call_seq in opened),
        kept=frozenset(kept),
    )


def _facts(entries: Iterable[Entry]) -> list[CallFacts]:
    return sorted((_fact(entry) for entry in entries), key=lambda call: call.call_seq)


def _fact(entry: Entry) -> CallFacts:
    body = entry.body
    seq, line = entry.call_seq, body.get("line", 0)
    match entry.kind:
        case Kind.TIMER:
            return CallFacts(seq, "sleep", f"{body['ms']} ms", None, line)
        case Kind.WAIT:
            return CallFacts(seq, "wait", body["match"].get("signal") or "any signal", None, line)
    if body["op"] == "agent":
        what = body.get("agent") or body.get("workflow") or body.get("title") or "a script"
        return CallFacts(seq, "agent", what, body.get("input"), line)
    return CallFacts(seq, "tool", body["tool"], body["input"], line)
