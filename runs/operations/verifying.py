"""Whether the journals that there are still replay: what is asked before and after an upgrade. Replays in memory as
strictly as a worker would; executes nothing, writes nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from heapq import merge
from typing import Any

from journal import codec, store
from journal.entries import Entry
from journal.errors import JournalDamaged
from runs import copies, replayable
from runs.codes import Code
from runs.effects.children import prepare_child
from runs.errors import NotPossible
from runs.host import Continued, Ending, Failed, Succeeded, SystemClock
from runs.host.memory import MemoryJournal
from runs.host.rehearsal import Unplayable, Verification
from runs.lifecycle import TERMINAL, Status
from runs.models import Run
from runs.operations import apart
from runs.reading.moment import one_look
from runs.workers.limits import host_limits

AGREES, DIVERGED, SKIPPED = "agrees", "diverged", "skipped"
PAGE = 200  # ids
LIVE = tuple(status for status in Status if status not in TERMINAL)
# Ends that the host or a person makes: the script may be anywhere then.
_FROM_OUTSIDE = {
    *(Code.WALL_TIMEOUT, Code.INTERRUPTED, Code.CANCELED, Code.DEADLOCK, Code.JOURNAL_CAP, Code.FUEL_EXHAUSTED),
    *(Code.CPU_EXHAUSTED, Code.OUT_OF_MEMORY, Code.REPLAY_DIVERGED, Code.INTERNAL_ERROR, Code.DATABASE),
}


@dataclass(frozen=True, slots=True)
class Verified:
    """`outcome`: agrees, diverged or skipped. `message` says why one of the latter; `callSeq`, `key` and `line` where
    the two part: call and key as the journal has them, or else as the script asks; 0 and "" where nothing tells."""

    run_id: str
    outcome: str
    message: str = ""
    call_seq: int = 0
    key: str = ""
    line: int = 0

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        return {"id": told.pop("run_id"), "callSeq": told.pop("call_seq"), **told}


def ids(after: str = "", *, live: bool) -> Iterator[str]:
    """Of all runs, or those that have not ended, which come after that id, in order; a page of them in memory."""
    if live:
        yield from merge(*(_paged(after, status) for status in LIVE))
    else:
        yield from _paged(after)


def _paged(after: str, status: str = "") -> Iterator[str]:
    # As the lists ask, so that the same indexes answer it: see Run.Meta.
    runs = Run.objects.filter(status=status, depth__gte=0) if status else Run.objects.all()
    while page := list(runs.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:PAGE]):
        yield from page
        after = page[-1]


def verify_all(run_ids: Sequence[str]) -> list[Verified]:
    """Of each, in order; a run that is gone by now is left out."""
    return [found for run_id in run_ids if (found := verify(run_id)) is not None]


def verify(run_id: str) -> Verified | None:
    """A run that waits or runs is verified as far as its journal goes. None where there is no such run."""
    with one_look():
        run = Run.objects.select_related("journal", "source").filter(pk=run_id).first()
        if run is None:
            return None
        if why := _unverifiable(run):
            return Verified(run_id, SKIPPED, why)
        try:
            entries = replayable.read(run.journal_id)
            behind = _left_behind(run, entries)
        except JournalDamaged as damaged:
            return Verified(run_id, DIVERGED, str(damaged))
    return _replayed(run, entries, behind)


def _left_behind(run: Run, entries: list[Entry]) -> list[Entry]:
    if len(entries) == run.journal.next_seq - 1:
        return []
    active = {entry.seq for entry in entries}
    return [entry for entry in store.read(run.journal_id) if entry.seq not in active]


def _unverifiable(run: Run) -> str:
    if run.source is None:
        return "an agent has no journal"
    return "" if copies.replays(run) else "redacted: what was taken out of it cannot answer its script"


def _replayed(run: Run, entries: list[Entry], behind: list[Entry]) -> Verified:
    assert run.source is not None
    journal = MemoryJournal(entries)
    journal.left_behind = behind
    verification = Verification(
        run_id=run.pk,
        source=run.source.text,
        input=run.input,
        journal=journal,
        prepare=prepare_child,
        clock=SystemClock(),
        limits=host_limits(run),
    )
    try:
        ending, new = apart.stand(verification)
    except Unplayable as stopped:
        return _stopped(run, stopped)
    except NotPossible as stuck:
        return Verified(run.pk, DIVERGED, str(stuck))
    return _compared(run, ending, new)


def _stopped(run: Run, stopped: Unplayable) -> Verified:
    error: dict[str, Any] = getattr(stopped.ending, "error", {})
    if _failed_with(run) == error.get("code"):  # as it did then
        return Verified(run.pk, AGREES)
    parted = stopped.parted or {}
    recorded = parted.get("recorded") or {}
    key = recorded.get("key") or parted.get("asked") or ""
    line = parted.get("line") or error.get("line") or 0
    return Verified(run.pk, DIVERGED, str(error.get("message")), recorded.get("callSeq") or 0, key, line)


def _compared(run: Run, ending: Ending | None, new: Sequence[Entry]) -> Verified:
    """A replay that has come to a stand, with what is known of the run."""
    status = copies.standing(run)
    outside = status == Status.CANCELED or _failed_with(run) in _FROM_OUTSIDE
    if status in (Status.QUEUED, Status.RUNNING) or outside:
        return Verified(run.pk, AGREES)
    if new:
        first = new[0]
        told = f"the script asks for something that the journal of a run that is {status} does not have: {first.kind}"
        return Verified(run.pk, DIVERGED, told, first.call_seq, first.body.get("key", ""), first.body.get("line", 0))
    if why := _other_end(run, status, ending):
        line = ending.error.get("line") or 0 if isinstance(ending, Failed) else 0
        return Verified(run.pk, DIVERGED, why, line=line)
    return Verified(run.pk, AGREES)


def _other_end(run: Run, status: str, ending: Ending | None) -> str:
    """Why the end of the replay is not that of the run, "" where it is."""
    said = "does not come to its end" if ending is None else f"ends: {type(ending).__name__.lower()}"
    match status, ending:
        case Status.WAITING, None:
            return "" if not run.error_code else f"the run has failed ({run.error_code}), and the replay {said}"
        case Status.WAITING | Status.FAILED, Failed(error):
            if error["code"] == _failed_with(run):
                return ""
            return f"the replay fails with {error['code']}, and the run has failed with {_failed_with(run)}"
        case Status.SUCCEEDED, Succeeded(output):
            same = codec.encode(output) == codec.encode(run.output)
            return "" if same else "the replay returns another value than the run's output"
        case Status.SUCCEEDED, Continued() if copies.as_it_was(run).successor:
            return ""
    return f"the run is {status}, and the replay {said}"


def _failed_with(run: Run) -> str | None:
    return (run.error or {}).get("code")
