"""Which line of a run's script issues a call, found by replaying the script against the journal up to that call.

The journal holds the line of the script as it was when the call was made. A script that was edited since has that call
somewhere else, and the replay, which executes nothing, says where.
"""

from dataclasses import dataclass

from runs import operations
from runs.errors import Refused
from runs.models import Run
from runs.reading.calls import CtxCall
from runs.reading.source import Line, lines

AROUND = 4  # lines before and behind


@dataclass(frozen=True, slots=True)
class Issued:
    """`line` 0 where nothing says it; `recorded` is the one that the journal holds, `why` says why it was taken where
    no replay has found the call. `near`: the lines of the script around it."""

    line: int
    recorded: int
    why: str
    near: list[Line]


def issued(run: Run, call: CtxCall) -> Issued:
    """Needs `run.source`. Replays, so it takes as long as a dry replay does; of a run of an agent nothing is found."""
    if run.source is None:
        return Issued(0, 0, "An agent is a Python function on the server, and has no script.", [])
    line, why = _replayed(run, call)
    line = line or call.line
    made = lines(run.source.text, failing=line) if line else []
    return Issued(line, call.line, why, made[max(0, line - 1 - AROUND) : line + AROUND])


def _replayed(run: Run, call: CtxCall) -> tuple[int, str]:
    """The line, else 0 and why it was not found."""
    if call.superseded:
        return 0, f"Attempt {call.superseded} has left this call behind: this is the line that the journal holds."
    try:
        # As a fork would begin: it numbers its calls as the run did, whatever state the run is in.
        replay = operations.fork(run.pk, call.call_seq, dry_run=True).replay
    except Refused as refused:
        return 0, f"This is the line that the journal holds; the script was not replayed up to the call: {refused}"
    asked = [new for new in replay.new if new.op == call.op] if replay else []
    same = [new for new in asked if new.call_seq == call.call_seq] or [new for new in asked if new.input == call.input]
    if not same:
        return 0, "This is the line that the journal holds; the script as it is now does not make this call."
    return same[0].line, ""
