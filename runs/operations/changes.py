"""What has to change in a journal so that it replays strictly from where a lenient replay has come to.

Strict replay delivers completions in the order of the journal and lets nothing new in before its end. So what the
script no longer makes is superseded; a completion that was delivered out of turn is superseded and written again; and
where something new was asked for in between, it is written now, before the run goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from journal.bodies import Body, opens
from journal.entries import Entry, Kind
from journal.replay import fold
from runs.host.rehearsal import Stood
from runs.operations.cutting import Cut, is_end, is_step_end


@dataclass(frozen=True, slots=True)
class Changes:
    """`superseded`: seqs to mark; `appended`: what is written behind, in order. `early`: the new calls are among it."""

    superseded: frozenset[int]
    appended: list[Body]
    early: bool


def changes_of(cut: Cut, stood: Stood) -> Changes:
    """Of a journal that was `cut` and replayed leniently."""
    unasked = set(stood.leftovers.unasked)
    superseded = set(cut.dropped) | {entry.seq for entry in cut.kept if entry.call_seq in unasked}
    kept = [entry for entry in cut.kept if entry.seq not in superseded]
    moved = _moved(kept, stood.leftovers.order)
    superseded |= {entry.seq for entry in moved}
    new, stale, changed = _compared(kept, stood.round.entries)
    superseded |= stale
    early = stood.leftovers.early or changed
    again = [entry.body | {"movedFrom": entry.seq} for entry in moved]
    return Changes(frozenset(superseded), again + (new if early else []), early)


def _moved(kept: Sequence[Entry], order: Sequence[int]) -> list[Entry]:
    """The completions to be written again, in the order in which they were delivered, then those that nobody got."""
    ends = {entry.call_seq: entry for entry in kept if is_end(entry)}
    delivered = [ends.pop(call_seq) for call_seq in order]
    wanted = [*delivered, *ends.values()]
    seq = 0
    for at, entry in enumerate(wanted):
        if entry.seq < seq:
            return wanted[at:]
        seq = entry.seq
    return []


def _compared(kept: Sequence[Entry], told: Sequence[Entry]) -> tuple[list[Body], set[int], bool]:
    """What is new of what the replay told; the seqs of step ends and warnings that it did not tell; and whether a step
    ended otherwise than it is recorded. A lenient replay tells every end of a step."""
    ends = {entry.call_seq: entry for entry in kept if is_step_end(entry)}
    new: list[Body] = []
    stale: set[int] = set()
    changed = False
    for entry in told:
        recorded = ends.pop(entry.call_seq, None) if is_step_end(entry) else None
        if recorded is None:
            new.append(entry.body)
        elif recorded.body != entry.body:
            new.append(entry.body)
            stale.add(recorded.seq)
            changed = True
    return new, stale | {entry.seq for entry in ends.values()}, changed


def still_good(cut: Cut, stood: Stood) -> list[int]:
    """The calls, children and waits that the script has not come to, while it may: what answered them answers the same
    ones later."""
    if stood.ending is not None:
        return []
    unasked = set(stood.leftovers.unasked)
    ended = [e.call_seq for e in cut.kept if e.kind in (Kind.RESULT, Kind.EVENT) and e.call_seq in unasked]
    before = [seq for seq in fold(cut.kept).kept if not cut.rewound or seq < min(cut.rewound)]
    return sorted({*before, *ended})


def is_call(entry: Entry) -> bool:
    return opens(entry.body)
