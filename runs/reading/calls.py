"""The ctx calls of a run, each folded from its entries: what was asked, the attempts, and what came of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from journal import codec
from journal.bodies import Body
from journal.entries import Kind
from journal.models import RunJournal

NEWEST = 200  # calls at once
_LATER = (Kind.RESULT, Kind.EVENT, Kind.FIRED, Kind.TIMER)  # what a call's entries behind the first may be


@dataclass(slots=True)
class Attempt:
    """One execution of a call, or one period of a sleep or wait. Times in ms since the epoch, `ended` None while it is
    out. `status` and `value` are what it came to; `left` is the attempt of the run that has left that behind."""

    number: int
    began: int
    ended: int | None = None
    status: str = ""
    value: Any = None
    left: int | None = None
    reexecuted: bool = False


@dataclass(slots=True)
class CtxCall:
    """One ctx call. `op`: tool, agent, sleep or wait. `status`: open, pausing (between two attempts), succeeded,
    failed, elapsed (a sleep), answered or timed-out (a wait), left (behind by an attempt, while it was out). `value` is
    the output, the error, or the payload."""

    seq: int
    call_seq: int
    op: str
    what: str
    asked: Body
    began: int
    status: str = "open"
    ended: int | None = None
    value: Any = None
    due: int | None = None  # of a sleep, a wait with a timeout, or the pause before the next attempt
    late: bool = False  # the result came after the run had ended, and was not delivered
    superseded: int | None = None
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def line(self) -> int:
        """Of the script, 0 where the engine names none."""
        return int(self.asked.get("line") or 0)

    @property
    def narration(self) -> str:
        return str(self.asked.get("description") or "")

    @property
    def child_id(self) -> str | None:
        child: str | None = self.asked.get("childRunId")
        return child

    @property
    def kept_from(self) -> int | None:
        """The call, left behind by an earlier attempt, whose result answered this one."""
        kept: int | None = self.asked.get("keptFrom")
        return kept

    @property
    def reexecuted(self) -> bool:
        """Whether an execution before this one may have happened without leaving a result."""
        return any(attempt.reexecuted for attempt in self.attempts)

    @property
    def input(self) -> Any:
        return self.asked.get("input")

    @property
    def took_ms(self) -> int | None:
        return None if self.ended is None else max(0, self.ended - self.began)


def ctx_calls(rows: Iterable[RunJournal]) -> list[CtxCall]:
    """The calls that these entries, in order of seq, tell of, in the order in which they were made. Entries without a
    call (callSeq 0) belong among them: they tell when an attempt of the run began."""
    calls: dict[int, CtxCall] = {}
    revived: dict[int, int] = {}
    for row in rows:
        body = codec.decode(row.entry)
        if row.call_seq == 0:
            if "attempt" in body:
                revived[body["attempt"]] = row.at
        elif (call := calls.get(row.call_seq)) is None:
            if (made := _made(row, body)) is not None:
                calls[row.call_seq] = made
        elif row.kind in _LATER:
            if row.superseded_by is None and "movedFrom" not in body:
                _begin_anew(call, revived)
            _told(call, row, body)
    for call in calls.values():
        _begin_anew(call, revived)
        if call.superseded is not None and call.ended is None:
            call.status, call.due = "left", None
            call.ended = call.attempts[-1].ended = revived.get(call.superseded, call.attempts[-1].began)
    return list(calls.values())


def newest(run_id: str, before_call: int | None = None, kinds: Iterable[Kind] = (Kind.CALL,)) -> list[CtxCall]:
    """The newest 200 calls of a journal whose first entry is of one of these kinds, and one more where there are more;
    those made before `before_call`. Two queries."""
    first = RunJournal.objects.filter(run_id=run_id, kind__in=list(kinds), call_seq__gt=0)
    if before_call is not None:
        first = first.filter(call_seq__lt=before_call)
    seqs = list(first.order_by("-call_seq").values_list("call_seq", flat=True).distinct()[: NEWEST + 1])
    if not seqs:
        return []
    rows = RunJournal.objects.filter(Q(call_seq=0) | Q(call_seq__range=(seqs[-1], seqs[0])), run_id=run_id)
    wanted = set(seqs)
    return [call for call in ctx_calls(rows.order_by("seq")) if call.call_seq in wanted]


def one(run_id: str, call_seq: int) -> CtxCall | None:
    """One call; None where the journal has none of that number."""
    calls = ctx_calls(RunJournal.objects.filter(run_id=run_id, call_seq__in=(0, call_seq)).order_by("seq"))
    return calls[0] if calls else None


def _made(row: RunJournal, body: Body) -> CtxCall | None:
    match row.kind:
        case Kind.CALL if body["op"] == "agent":
            what = body.get("title") or body.get("agent") or body.get("workflow") or "a script"
            call = CtxCall(row.seq, row.call_seq, "agent", str(what), body, row.at)
        case Kind.CALL:
            call = CtxCall(row.seq, row.call_seq, "tool", body["tool"], body, row.at)
        case Kind.TIMER if "retry" not in body:
            call = CtxCall(row.seq, row.call_seq, "sleep", "sleep", body, row.at, due=body["wakeAt"])
        case Kind.WAIT:
            what = body.get("label") or body["match"].get("signal") or "any signal"
            call = CtxCall(row.seq, row.call_seq, "wait", str(what), body, row.at, due=body.get("timeoutAt"))
        case _:
            return None
    call.superseded = row.superseded_by
    call.attempts.append(Attempt(1, row.at))
    return call


def _told(call: CtxCall, row: RunJournal, body: Body) -> None:
    """What a later entry of the call says of it."""
    attempt = call.attempts[-1]
    if row.kind == Kind.FIRED and "retry" in body:
        call.attempts.append(Attempt(body["retry"] + 1, row.at, left=row.superseded_by))
        call.status, call.due = "open", None
        return
    paused = row.kind == Kind.TIMER
    attempt.number = body["retry"] if paused else body.get("attempts", attempt.number)
    attempt.status, attempt.value = ("failed", body["error"]) if paused else _outcome(row, body)
    attempt.left, attempt.reexecuted = row.superseded_by, bool(body.get("reexecuted"))
    if "movedFrom" not in body:
        attempt.ended = row.at
    if paused:
        call.status, call.due = "pausing", body["wakeAt"]
        return
    call.status, call.value, call.ended = attempt.status, attempt.value, attempt.ended
    call.late = bool(body.get("late"))


def _begin_anew(call: CtxCall, revived: dict[int, int]) -> None:
    """The call itself is not left behind, but its last outcome is: it is out once more, and its attempts count anew."""
    last = call.attempts[-1]
    if call.superseded is None and last.left is not None:
        call.status, call.value, call.ended, call.due = "open", None, None, None
        call.attempts.append(Attempt(1, revived.get(last.left, last.ended or last.began)))


def _outcome(row: RunJournal, body: Body) -> tuple[str, Any]:
    match row.kind:
        case Kind.RESULT:
            return body["status"], body["output"] if body["status"] == "succeeded" else body["error"]
        case Kind.EVENT if body.get("timedOut"):
            return "timed-out", None
        case Kind.EVENT:
            return "answered", {"signal": body["signal"], "payload": body["payload"]}
    return "elapsed", None
