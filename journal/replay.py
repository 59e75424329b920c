"""The order of replay: entries folded into what a realm answers from, and what is still open.

Groups are matched by content, first in first out per key; completions are delivered in the order in which they were
written. Both are plain lists, because a realm takes them as one JSON text.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from journal.bodies import Body, child_spec
from journal.entries import Entry, Kind


@dataclass(slots=True)
class OpenCall:
    """A call or timer without its completion. `attempts` that have failed so far; `wake_at` in ms of the timer or of
    the pause before the next attempt, None while an attempt is (or was) running."""

    body: Body
    attempts: int = 0
    wake_at: int | None = None
    error: Any = None  # of the newest failed attempt
    unstarted_at: int = (
        0  # the fence of the claim that finds it as an operator's retry or fork has written it, not begun
    )


@dataclass(slots=True)
class Fold:
    """`groups`: [op, callSeq, line, done, ...key parts]; `completions`: [callSeq, ok, value]; `open` by callSeq;
    `warned`: how many unhandled rejections are written, which a replay tells again; `children`: how many were made;
    `kept`: the calls that were left behind, whose results are good for calls still to come."""

    groups: list[list[Any]] = field(default_factory=list)
    completions: list[list[Any]] = field(default_factory=list)
    call_seq: int = 0
    open: dict[int, OpenCall] = field(default_factory=dict)
    warned: int = 0
    children: int = 0
    kept: list[int] = field(default_factory=list)


_DONE = 3


def fold(entries: Iterable[Entry]) -> Fold:  # noqa: C901  (one case for each kind)
    """Fold entries in order of seq. What the host wrote in its own name (callSeq 0) is passed over."""
    folded = Fold()
    by_call: dict[int, list[Any]] = {}
    first_fence = 0
    for entry in entries:
        body = entry.body
        seq: int = body["callSeq"]
        if seq == 0:
            folded.warned += "unhandled" in body
            folded.call_seq = max(folded.call_seq, body.get("lastCallSeq", 0))
            folded.kept = list(body.get("kept", folded.kept))
            first_fence = body.get("fence", first_fence)
            if body.get("attempt") == 1:  # a fork: what it has copied was another run's, and not begun by this one
                for call in folded.open.values():
                    call.unstarted_at = first_fence
            continue
        if seq > folded.call_seq:
            folded.call_seq = seq
        match body["kind"]:
            case Kind.RESULT:
                by_call[seq][_DONE] = True
                folded.open.pop(seq, None)
                ok = body["status"] == "succeeded"
                folded.completions.append([seq, ok, body["output"] if ok else body["error"]])
            case Kind.EVENT:
                by_call[seq][_DONE] = True
                folded.open.pop(seq, None)
                timed_out = "timedOut" in body
                delivery = None if timed_out else {"signal": body["signal"], "payload": body["payload"]}
                folded.completions.append([seq, True, delivery])
            case Kind.FIRED:
                _fired(folded, by_call, body, seq)
            case Kind.TIMER if "retry" in body:
                call = folded.open[seq]
                call.attempts, call.wake_at, call.error = body["retry"], body["wakeAt"], body["error"]
            case Kind.STEP if body["phase"] == "end":
                by_call[seq][_DONE] = True
            case _:
                group = by_call[seq] = _group(body, seq)
                folded.groups.append(group)
                folded.children += body.get("childRunId") is not None
                if body.get("keptFrom") in folded.kept:
                    folded.kept.remove(body["keptFrom"])
                if not group[_DONE] and body["kind"] != Kind.STEP:
                    folded.open[seq] = OpenCall(body, wake_at=body.get("wakeAt"), unstarted_at=first_fence)
    return folded


def _fired(folded: Fold, by_call: dict[int, list[Any]], body: Body, seq: int) -> None:
    if "retry" in body:
        folded.open[seq].wake_at = None
        return
    by_call[seq][_DONE] = True
    folded.open.pop(seq, None)
    folded.completions.append([seq, True, None])


def _group(body: Body, seq: int) -> list[Any]:
    line = body.get("line", 0)
    match body["kind"]:
        case Kind.CALL if body["op"] == "agent":
            return ["agent", seq, line, False, child_spec(body)]
        case Kind.WAIT:
            return ["wait", seq, line, False, body["match"], body.get("timeout")]
        case Kind.CALL:
            return ["tool", seq, line, False, body["tool"], body["input"]]
        case Kind.TIMER:
            return ["sleep", seq, line, False, body["ms"]]
        case Kind.NOW:
            return ["now", seq, line, True, body["value"]]
        case Kind.LOG:
            return ["log", seq, line, True, body["level"], body["message"], body.get("data")]
        case Kind.STEP:
            return ["step", seq, line, False, body["label"]]
        case Kind.PLAN:
            return ["plan", seq, line, True, body["plan"]]
    raise ValueError(f"replay does not know entries of kind {body['kind']}")
