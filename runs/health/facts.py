"""The replay health of one run: its signs with what each means, how often, and where in the journal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from journal import codec
from journal.bodies import Body, opens
from journal.models import RunJournal
from runs.codes import Code
from runs.health.signs import Sign, signs_of
from runs.models import Run

PLACES = 50

# What each sign is called, and what it means for who operates the run.
WORDS: dict[Sign, tuple[str, str]] = {
    Sign.REEXECUTED: (
        "Executed again",
        (
            "The call was executed more than once with the same idempotency token: an operator retried it, or a worker"
            " went away while it was out and nobody knew whether it had taken effect. Where the tool does not honour"
            " the token, check that it did not act twice."
        ),
    ),
    Sign.ORPHANS: (
        "Left behind",
        (
            "A retry or rewind, or an edited script, has left calls behind that the script does not make any more. They"
            " stay readable, and what they did to the world is not undone."
        ),
    ),
    Sign.DIVERGED: (
        "Diverged on replay",
        (
            "The script asked for something else than its journal holds, so the run was stopped and nothing was"
            " executed. Mend the script, or go on from a call before the place where the two part."
        ),
    ),
    Sign.LATE: (
        "Answered too late",
        (
            "A result came after its time limit, or after the run had ended. It is recorded and was not given to the"
            " script; the tool has done its work all the same."
        ),
    ),
    Sign.NEAR_CAP: (
        "Journal nearly full",
        (
            "The journal has passed 80 % of what it may hold. At its cap the run fails with journal-cap: have the"
            " script finish into a successor with ctx.continueAsNew."
        ),
    ),
    Sign.UNHANDLED: (
        "Failures that nobody awaits",
        (
            "A promise was rejected and the script neither awaited nor caught it, so a failure may go unnoticed. Await"
            " the call, or catch its error."
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Place:
    """An entry that shows a sign; `call_seq` 0 where it is of no call. `attempt` is the one that left it behind."""

    seq: int
    call_seq: int
    what: str
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """`places`: the newest 50 of `count`."""

    sign: Sign
    title: str
    meaning: str
    count: int
    places: Sequence[Place] = ()

    def as_dict(self) -> dict[str, Any]:
        places = [{"seq": p.seq, "callSeq": p.call_seq, "what": p.what, "attempt": p.attempt} for p in self.places]
        told = {"sign": self.sign.slug, "title": self.title, "meaning": self.meaning}
        return told | {"count": self.count, "places": places}


@dataclass(slots=True)
class _Seen:
    places: dict[Sign, list[Place]] = field(default_factory=dict)

    def add(self, sign: Sign, place: Place) -> None:
        self.places.setdefault(sign, []).append(place)


def signs_in(run: Run) -> list[Sign]:
    """Those of the run's column, in order: what a list shows of each run."""
    return [sign for sign in Sign if sign & run.signs]


def health(run: Run) -> list[Finding]:
    """What the journal shows, read whole; empty for a run whose story is plain. One query."""
    seen = _Seen()
    rows = RunJournal.objects.filter(run_id=run.journal_id).order_by("seq")
    for seq, left, data in rows.values_list("seq", "superseded_by", "entry"):
        _look(seen, seq, left, codec.decode(data))
    if run.error_code == Code.REPLAY_DIVERGED or run.signs & Sign.DIVERGED:
        at = (run.error or {}).get("callSeq") if run.error_code == Code.REPLAY_DIVERGED else None
        seen.add(Sign.DIVERGED, Place(0, at or 0, (run.error or {}).get("message", "")))
    return [
        Finding(sign, *WORDS[sign], len(seen.places[sign]), seen.places[sign][: -PLACES - 1 : -1])
        for sign in Sign
        if sign in seen.places
    ]


def _look(seen: _Seen, seq: int, left: int | None, body: Body) -> None:
    for sign in signs_of([body]):
        seen.add(sign, Place(seq, body.get("lateCall") or body["callSeq"], _what(body), left))
    if left is not None and opens(body):
        seen.add(Sign.ORPHANS, Place(seq, body["callSeq"], _what(body), left))


def _what(body: Body) -> str:
    return str(body.get("description") or body.get("tool") or body.get("title") or body.get("message") or body["kind"])
