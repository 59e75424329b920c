"""retry and rewind: another attempt of the same run, also with an edited source (fix and continue)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from journal.entries import Entry, Kind
from journal.errors import JournalDamaged
from runs import copies
from runs.errors import BadInput, NotPossible, Refused, UnknownRun
from runs.lifecycle import Status
from runs.models import Message, Run
from runs.operations import attempt
from runs.operations import children as family
from runs.operations.cutting import Cut, before, whole, without_end_of
from runs.operations.rehearsing import Cutter, rehearse
from runs.operations.report import DryReplay


@dataclass(frozen=True, slots=True)
class Done:
    """What was done, or with `dry_run` would be. `run_id` is that of the run that goes on: of a fork its own."""

    verb: str
    run_id: str
    attempt: int
    dry_run: bool
    replay: DryReplay | None
    live_children: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        told = {"verb": self.verb, "id": self.run_id, "attempt": self.attempt, "dryRun": self.dry_run}
        told["liveChildren"] = self.live_children
        return told | (self.replay.as_dict() if self.replay else {})


Also = Callable[[Done], None] | None


def load(run_id: str) -> Run:
    run = Run.objects.select_related("journal", "source", "parent").filter(pk=run_id).first()
    if run is None:
        raise UnknownRun(run_id)
    return run


@contextmanager
def unless_gone(run_id: str) -> Iterator[None]:
    """What goes wrong because the run is deleted meanwhile is told so: `UnknownRun`."""
    try:
        yield
    except (Refused, JournalDamaged):
        if Run.objects.filter(pk=run_id).exists():
            raise
        raise UnknownRun(run_id) from None


def retry(
    run_id: str,
    *,
    call: int | None = None,
    source: str | None = None,
    children: str | None = None,
    dry_run: bool = False,
    also: Also = None,
) -> Done:
    """Execute the failing call of a failed run again, or the failed call `call`; all else is answered from the journal.

    A run that failed without a failing call is queued again. `also` is called in the transaction that begins the
    attempt, and with `dry_run` not at all. Raises `NotPossible`, `BadInput` and `BadSource`.
    """
    run = load(run_id)
    copies.refuse(run, "retried")
    if run.status != Status.FAILED and not (run.status == Status.WAITING and run.error_code):
        raise NotPossible(f"only a failed run can be retried, and this one is {run.status}; {_instead(run)}")
    _check_parent(run)
    if run.source is None:
        return _agent_again(run, call, source, dry_run, also)

    return _again("retry", run, without_failure(run, call), retry_told(run, call), source, children, dry_run, also)


def without_failure(run: Run, call: int | None = None) -> Cutter:
    """What a retry takes out of the journal: the end of the failed call `call`, else of the one that the run's error
    came from, else nothing."""

    def cutter(entries: Sequence[Entry]) -> Cut:
        failing = _failing(run, entries) if call is None else _failed(entries, call)
        return whole(entries) if failing is None else without_end_of(entries, failing)

    return cutter


def retry_told(run: Run, call: int | None = None) -> str:
    """The words of the entry that tells of it."""
    named = call or (run.error or {}).get("callSeq")
    return f"attempt {run.attempt + 1}: retried" + (f" from call {named}" if named else "")


def rewind(
    run_id: str,
    call: int,
    *,
    source: str | None = None,
    children: str | None = None,
    dry_run: bool = False,
    also: Also = None,
) -> Done:
    """Execute call `call` and all calls after it again, each as a new call; what they have written stays readable.

    Of a run that has ended, or is parked. `also` as of `retry`. Raises `NotPossible`, `BadInput` and `BadSource`.
    """
    run = load(run_id)
    copies.refuse(run, "rewound")
    if run.status in (Status.QUEUED, Status.RUNNING):
        raise NotPossible(
            f"the run is {run.status}: cancel it, or wait until it is parked or has ended; {_instead(run)}"
        )
    if run.successor:
        raise NotPossible(f"the run was continued as {run.successor}: rewind that one, or fork this one")
    _check_parent(run)
    if run.source is None:
        raise NotPossible("an agent has no calls to rewind to; retry it when it has failed")
    told = f"attempt {run.attempt + 1}: rewound to call {call}"
    return _again(
        "rewind", run, lambda entries: before(with_call(entries, call), call), told, source, children, dry_run, also
    )


def _again(
    verb: str,
    run: Run,
    cutter: Cutter,
    told: str,
    source: str | None,
    children: str | None,
    dry_run: bool,
    also: Also,
) -> Done:
    family.check_choice(children)
    with unless_gone(run.pk):
        made = rehearse(run, cutter, told if source is None else f"{told}, with an edited source", source=source)
        loose = [child.pk for child in family.live(run, made.remade())]
        done = Done(verb, run.pk, run.attempt + 1, dry_run, made.report, loose)
        if not dry_run:
            attempt.begin(run, made, children, also and partial(also, done))
    return done


def _agent_again(run: Run, call: int | None, source: str | None, dry_run: bool, also: Also) -> Done:
    if call is not None or source is not None:
        raise NotPossible("this run is of an agent: it has no calls and no source, and is retried as a whole")
    done = Done("retry", run.pk, run.attempt + 1, dry_run, None)
    if not dry_run:
        with unless_gone(run.pk):
            attempt.begin(run, None, None, also and partial(also, done))
    return done


def _failing(run: Run, entries: Sequence[Entry]) -> int | None:
    """The call that the run's error came from, where it is one that failed."""
    named = (run.error or {}).get("callSeq")
    return named if named in _failures(entries) else None


def _failed(entries: Sequence[Entry], call: int) -> int:
    failures = _failures(entries)
    if call not in failures:
        there = f"those that did: {', '.join(map(str, failures))}" if failures else "none has"
        raise BadInput(f"call {call} has not failed ({there}); rewind to it, or fork from it")
    return call


def _failures(entries: Sequence[Entry]) -> list[int]:
    return [e.call_seq for e in entries if e.kind == Kind.RESULT and e.body["status"] == "failed"]


def with_call(entries: Sequence[Entry], call: int) -> Sequence[Entry]:
    """The entries, among which there is one of the call."""
    known = [entry.call_seq for entry in entries if entry.call_seq]
    if call not in known:
        there = f"its calls go from {min(known)} to {max(known)}" if known else "it has made none"
        if known and min(known) < call < max(known):
            there = "another attempt has left it behind"
        raise BadInput(f"the run has no call {call}; {there}")
    return entries


def _check_parent(run: Run) -> None:
    """A parent that has taken the answer, or is about to, would get a second one."""
    parent = run.parent
    if parent is None or parent.is_terminal or run.parent_call_seq is None:
        return
    if Message.objects.filter(run=parent, kind=Message.Kind.CHILD, call_seq=run.parent_call_seq).exists():
        raise NotPossible(
            f"its parent {parent.pk} has its answer already;"
            f" rewind the parent to call {run.parent_call_seq}, or fork this run"
        )


def _instead(run: Run) -> str:
    """What works in that state."""
    match run.status:
        case Status.SUCCEEDED | Status.CANCELED:
            return "rewind it to one of its calls, or fork it"
        case Status.WAITING:
            return "rewind it to one of its calls, fork it, or cancel it"
    return "a fork can be made at any time"
