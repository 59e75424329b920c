"""What stands above the tabs of a run's page: where it stands and whose turn it is, what it waits for, its error; and
beside them its plan, its family and what there is to know about it."""

from functools import partial
from typing import Any

from runs import copies
from runs.access import Person, Verb, may
from runs.conf import conf
from runs.lifecycle import Status
from runs.models import Run
from runs.reading.cutting import printable
from runs.reading.errors import error_facts
from runs.reading.tree import family
from runs.reading.verdict import verdict
from runs.reading.waiting import waiting
from runs.words import MARKS, status_phrase

STEP_MARKS = {"pending": "○", "running": "▶", "done": "✓", "failed": "✕", "skipped": "-"}
STEP_STATES = {
    "pending": "queued",
    "running": "running",
    "done": "succeeded",
    "failed": "failed",
    "skipped": "canceled",
}
# Values can be megabytes, and only one tab shows them.
_REFUSED_OF_COPIES = frozenset({Verb.SIGNAL, Verb.CANCEL, Verb.RETRY})
PAYLOADS = ("input", "output", "budget", "source__text")


def overview(run: Run, user: Person) -> dict[str, Any]:
    """The part `overview`: at most three queries beyond the run's row."""
    offered = rights(run, user)
    return {
        "run": run,
        "mark": MARKS.get(run.status, "?"),
        "phrase": status_phrase(run),
        "verdict": verdict(run),
        "waiting": waiting(run),
        "error": error_facts(run.error),
        "failing": run.status == Status.FAILED,
        "fixable": run.source_id is not None and may(user, Verb.START),
        "rewindable": _rewindable(run) and offered[Verb.RETRY],
        "progress": progress(run.progress),
        "may": offered,
    }


def _rewindable(run: Run) -> bool:
    at_rest = run.status not in (Status.QUEUED, Status.RUNNING) and not run.successor
    return at_rest and run.source_id is not None and bool(run.journal.last_call_seq)


def rights(run: Run, user: Person) -> dict[str, bool]:
    """What the user may do to the run, by verb; to a copy nobody may do what would be refused."""
    return {verb.value: _possible(verb, run) and may(user, verb, run) for verb in Verb}


def _possible(verb: Verb, run: Run) -> bool:
    if verb == Verb.FORK:
        return copies.replays(run)
    return not (run.is_copy and verb in _REFUSED_OF_COPIES)


def aside(run: Run, user: Person) -> dict[str, Any]:
    """The part `aside`: at most five queries beyond the run's row."""
    facts = {"entries": run.journal.next_seq - 1, "limits": conf()}
    return {"run": run, "plan": plan(run.plan), "family": family(run, partial(may, user, Verb.VIEW)), **facts}


def progress(told: dict[str, Any] | None) -> dict[str, Any] | None:
    """The last progress: label, and percent (None where it has no fraction)."""
    if not told:
        return None
    fraction = told.get("fraction")
    percent = None if fraction is None else f"{fraction * 100:.0f}"
    return {"label": printable(told.get("label") or ""), "percent": percent}


def plan(told: Any) -> dict[str, Any] | None:
    """The checklist: title, and label, status, state (a run's status of the same colour) and mark of each step."""
    if not told:
        return None
    steps = [
        {
            "label": printable(step.get("label") or ""),
            "status": printable(step.get("status") or ""),
            "state": STEP_STATES.get(step.get("status"), "queued"),
            "mark": STEP_MARKS.get(step.get("status"), "?"),
        }
        for step in told["steps"]
    ]
    done = sum(step["status"] == "done" for step in steps)
    return {"title": printable(told.get("title") or ""), "steps": steps, "done": done}
