"""What an operator's verb takes out of a journal before it is replayed: entries of calls that are to happen again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from journal.bodies import Body
from journal.entries import Entry, Kind


@dataclass(frozen=True, slots=True)
class Cut:
    """`kept` is replayed; `dropped` are the seqs that are not; `rewound` the callSeqs that no longer have any entry."""

    kept: list[Entry]
    dropped: frozenset[int] = frozenset()
    rewound: frozenset[int] = frozenset()


def whole(entries: Sequence[Entry]) -> Cut:
    return Cut(list(entries))


def without_end_of(entries: Sequence[Entry], call_seq: int) -> Cut:
    """The call was made and has no result: its pauses go too, so that its attempts count from one.

    A child that has failed is done with, so a delegate is made again as a whole.
    """
    mine = [entry for entry in entries if entry.call_seq == call_seq]
    child = mine[0].body.get("op") == "agent"
    gone = {entry.seq for entry in (mine if child else mine[1:])}
    return _without(entries, gone, {call_seq} if child else set())


def before(entries: Sequence[Entry], call_seq: int) -> Cut:
    """The call and all calls after it were never made."""
    gone = {entry.seq for entry in entries if entry.call_seq >= call_seq}
    return _without(entries, gone, {entry.call_seq for entry in entries if entry.call_seq >= call_seq})


def copied_before(entries: Sequence[Entry], call_seq: int, ended: Body | None = None) -> Cut:
    """As `before`, for the journal of another run, so counted anew. A child that has not ended belongs to the run that
    made it, so its call goes too. `ended`: the completion that the call itself is given, at the place of its own."""
    answered = {entry.call_seq for entry in entries if is_end(entry)}
    remade = {entry.call_seq for entry in entries if entry.body.get("op") == "agent"} - answered
    remade |= {entry.call_seq for entry in entries if entry.call_seq >= call_seq}
    kept = [entry for entry in entries if entry.call_seq not in remade]
    if ended is not None:
        first, *rest = [entry for entry in entries if entry.call_seq == call_seq]
        at = next((entry for entry in rest if is_end(entry)), entries[-1])
        given = Entry.of(at.seq, at.at, ended)
        kept = sorted([*kept, first, given], key=lambda entry: (entry.seq, entry is given))
        remade.discard(call_seq)
    return Cut([replace(entry, seq=seq) for seq, entry in enumerate(kept, 1)], rewound=frozenset(remade))


def _without(entries: Sequence[Entry], gone: set[int], rewound: set[int]) -> Cut:
    return Cut([entry for entry in entries if entry.seq not in gone], frozenset(gone), frozenset(rewound))


def is_end(entry: Entry) -> bool:
    """Whether the entry completes its call: result, event, or fired (not that of a pause between two attempts)."""
    body = entry.body
    return entry.kind in (Kind.RESULT, Kind.EVENT) or (entry.kind == Kind.FIRED and "retry" not in body)


def is_step_end(entry: Entry) -> bool:
    return entry.kind == Kind.STEP and entry.body["phase"] == "end"
