"""The question that a run's page answers first: why is it not moving, and is it on me?"""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from runs.copies import as_it_was, redacted
from runs.lifecycle import Status
from runs.models import Run
from runs.words import Phrase, status_phrase

SLOW_SECONDS = 15  # what should happen by itself within a moment, and has not for so long, needs a person


@dataclass(frozen=True, slots=True)
class Verdict:
    """`whose` turn it is: "you" (of whoever may), "script" (mend it, or try again), "site" (of who runs the site),
    "time" (it goes on by itself) or "" (it has ended). `phrase`: words and moments."""

    whose: str
    phrase: Phrase

    def __bool__(self) -> bool:
        return bool(self.phrase)


def verdict(run: Run, now: datetime | None = None) -> Verdict:
    """Of the run as its row says; asks no other."""
    now = now or timezone.now()
    match run.status:
        case Status.QUEUED:
            return _queued(run, now)
        case Status.RUNNING:
            return _running(run, now)
        case Status.WAITING:
            return _waiting(run, now)
        case Status.IMPORTED:
            return _copied(run)
        case Status.FAILED:
            return Verdict("script", ["It does not go on by itself: retry the call, or mend the script and continue."])
    return Verdict("", [])


def _copied(run: Run) -> Verdict:
    then = as_it_was(run)
    was = ["Imported copy. When it was exported, the run was: ", *status_phrase(then), ". It had last changed at "]
    missing = redacted(run)
    more = f" Taken out of the file: {', '.join(missing)}." if missing else ""
    return Verdict("", [*was, then.updated_at, f". Nothing moves a copy; a fork goes on from one of its calls.{more}"])


def _queued(run: Run, now: datetime) -> Verdict:
    if run.held_back:
        return Verdict("time", ["It starts by itself when another run of its key gives up its place."])
    if _overdue(run.queued_at, now):
        return Verdict(
            "site", ["No worker has taken it since ", run.queued_at, ". Are workers running, and are they all busy?"]
        )
    return Verdict("time", ["A worker takes it as soon as one is free."])


def _running(run: Run, now: datetime) -> Verdict:
    if run.lease_until and run.lease_until < now:
        if _overdue(run.lease_until, now):
            return Verdict("site", ["Its worker is gone and nothing has queued the run again. Is the clock running?"])
        return Verdict("time", ["Its worker is gone; another one goes on from the journal."])
    if run.cancel_requested_at:
        return Verdict("time", ["It stops as soon as the calls that are out have been told."])
    return Verdict("", [])


def _waiting(run: Run, now: datetime) -> Verdict:
    parts = run.wait or []
    kinds = {part.get("kind") for part in parts}
    if run.wake_at and _overdue(run.wake_at, now):
        return Verdict("site", ["It was due at ", run.wake_at, " and nothing has woken it. Is the clock running?"])
    if "wait" in kinds:
        alone = kinds == {"wait"} and run.wake_at is None
        return Verdict("you", ["It goes on when somebody answers." if alone else "Somebody can answer it now."])
    if "child" in kinds:
        return Verdict("time", ["It goes on when its children have ended. Look at them to see what they wait for."])
    if "attempt" in kinds or "retry" in kinds:
        return Verdict("time", ["It tries again by itself at ", run.wake_at] if run.wake_at else [])
    return Verdict("time", ["It goes on by itself at ", run.wake_at] if run.wake_at else [])


def _overdue(at: datetime, now: datetime) -> bool:
    return (now - at).total_seconds() > SLOW_SECONDS
