"""What a storm must not have done, read from the tools' own record and from the journal."""

from cases.app.executions import Execution
from cases.installation import entries

from runs.models import Run


def executed_after_their_end(run: Run, executions: list[Execution]) -> list[Execution]:
    """The executions that began after the end of their attempt, a result or a pause before the next, was journaled."""
    ends: dict[tuple[int, int], int] = {}
    for entry in entries(run):
        if entry.kind == "result":
            ends[entry.call_seq, entry.body.get("attempts", 1)] = entry.at
        elif entry.kind == "timer" and "retry" in entry.body:
            ends[entry.call_seq, entry.body["retry"]] = entry.at
    return [one for one in executions if one.at > ends.get((one.call_seq, one.attempt), one.at)]


def executed_again_without_mark(run: Run, executions: list[Execution]) -> set[int]:
    """The calls (callSeq) of which one attempt was executed twice and no entry says so."""
    seen: set[tuple[int, int]] = set()
    twice = set()
    for one in executions:
        if (one.call_seq, one.attempt) in seen:
            twice.add(one.call_seq)
        seen.add((one.call_seq, one.attempt))
    return twice - {entry.call_seq for entry in entries(run) if entry.body.get("reexecuted")}
