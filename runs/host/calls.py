"""The family of ctx.call: attempts that are out, their time limits, the pauses between them, and their results."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from journal import bodies
from journal.entries import Entry
from runs.codes import Code
from runs.host.desk import Desk
from runs.host.draft import JournalFull
from runs.host.ports import Call, Completion, JournalPort, Round
from runs.host.retries import pause_ms
from runs.realm.protocol import ToolCall


@dataclass(frozen=True, slots=True)
class _Attempt:
    """`reexecuted`: an earlier execution of it may have happened without leaving a result."""

    message: ToolCall
    number: int
    reexecuted: bool = False

    @property
    def key(self) -> str:
        return bodies.call_key(self.message.tool, self.message.input)


@dataclass(frozen=True, slots=True)
class _Flight:
    """An attempt that is out, with its time limit (ms since the epoch)."""

    attempt: _Attempt
    call: Call
    deadline: float | None


@dataclass(frozen=True, slots=True)
class _Pause:
    """The time between a failed attempt, whose error is kept, and the next one."""

    wake_at: int
    attempt: _Attempt
    error: Any


class Calls:
    """The open tool calls of a run by callSeq."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._starting: list[_Attempt] = []
        self._transactional: deque[_Attempt] = deque()
        self._flights: dict[int, _Flight] = {}
        self._pauses: dict[int, _Pause] = {}
        self._arrived: deque[Completion] = deque()  # taken from the effects, not yet written
        self._known: dict[int, int] = {}  # callSeq -> the call left behind whose result it gets
        self._unstarted: set[int] = set()  # calls that were written but not started when the realm was built anew

    # What the script asks for

    def issue(self, message: ToolCall, new: list[bodies.Body]) -> None:
        seq = message.call_seq
        if seq in self._flights:
            return  # still running: the realm was built anew around it
        if not message.again:
            description = (message.options or {}).get("description")
            body = bodies.call(seq, message.tool, message.input, message.line, description)
            kept = self._desk.kept.take(body["key"])
            new.append(body if kept is None else body | {"keptFrom": kept})
            if kept is None:
                self._queue(_Attempt(message, 1))
            else:
                self._known[seq] = kept
            return
        opened = self._desk.folded.open[seq]
        if "keptFrom" in opened.body:
            self._known[seq] = opened.body["keptFrom"]
            return
        if opened.wake_at is None:
            unstarted = seq in self._unstarted or opened.unstarted_at == self._desk.draft.head.fence > 0
            self._queue(_Attempt(message, opened.attempts + 1, reexecuted=not unstarted))
        else:
            self._pauses[seq] = _Pause(opened.wake_at, _Attempt(message, opened.attempts), opened.error)

    def _queue(self, attempt: _Attempt) -> None:
        transactional = self._desk.effects.transactional(attempt.message.tool)
        (self._transactional if transactional else self._starting).append(attempt)

    def rebuild(self) -> None:
        self._unstarted = {attempt.message.call_seq for attempt in (*self._starting, *self._transactional)}
        self._starting.clear()
        self._transactional.clear()
        self._pauses.clear()
        self._known.clear()

    # Starting

    def launch(self) -> None:
        """Start what was issued; its `call` is on disk."""
        starting, self._starting = self._starting, []
        for attempt in starting:
            call = self._call(attempt)
            deadline = None if call.timeout_ms is None else self._desk.clock.now() + call.timeout_ms
            self._flights[call.call_seq] = _Flight(attempt, call, deadline)
            self._desk.effects.start(call)

    def _call(self, attempt: _Attempt) -> Call:
        message, desk = attempt.message, self._desk
        limit = (message.options or {}).get("timeoutMs", desk.effects.timeout_ms(message.tool))
        return Call(
            desk.run_id,
            message.call_seq,
            message.tool,
            message.input,
            attempt.number,
            limit,
            progress=desk.show_progress,
        )

    def has_transactional(self) -> bool:
        return bool(self._transactional)

    def run_transactional(self, journal: JournalPort, take: Callable[[], Round]) -> None:
        """Run the next transactional call here and now: the round, what it does and its result commit together."""
        if self._desk.draft.full():
            raise JournalFull
        attempt = self._transactional.popleft()
        call = self._call(attempt)
        draft = self._desk.draft
        done: list[Completion] = []

        def work(broken: str | None) -> tuple[bool, Sequence[Entry]]:
            completion = self._broken(call, broken) if broken else self._desk.effects.execute(call)
            entry = Entry.of(draft.head.entries + 1, self._desk.clock.now(), self._ended(attempt, completion))
            done[:] = [completion]
            written[:] = [entry]
            return completion.ok, written

        written: list[Entry] = []
        journal.commit_around(take(), work)
        draft.advance(1, len(written[0].data))
        self.launch()
        if call.call_seq not in self._pauses:
            self._desk.deliver(call.call_seq, done[0].ok, done[0].value)

    def _broken(self, call: Call, reason: str) -> Completion:
        message = f"the tool {call.tool} broke its transaction: {reason}. {Code.TRANSACTION_BROKEN.help}"
        error = {"code": Code.TRANSACTION_BROKEN.value, "message": message, "retryable": False, "detail": None}
        return Completion(call.call_seq, call.attempt, False, error)

    # Results

    def wait(self, until: float | None, now: int) -> bool:
        """Wait for completions until `until` (ms since the epoch, None: as long as it takes) and handle them; tells
        whether there were any."""
        self._arrived.extend(self._desk.effects.wait(None if until is None else max(0.0, (until - now) / 1000)))
        return self._complete()

    def due(self, now: int) -> bool:
        """What is left over where a slice was cut short, attempts whose time is over, pauses that have ended."""
        if self._known:
            self._answer_known()
            return True
        return self._complete() | self._resume_paused(now) | self._time_out(now)

    def _answer_known(self) -> None:
        """Write and deliver the next result that is known from a call left behind."""
        seq, kept = next(iter(self._known.items()))
        del self._known[seq]
        result = self._desk.kept.result(kept)
        self._desk.draft.add(result | {"callSeq": seq, "keptFrom": kept})
        ok = result["status"] == "succeeded"
        self._desk.deliver(seq, ok, result["output"] if ok else result["error"])

    def _complete(self) -> bool:
        """Write and deliver what has arrived. A slice may end in an exception; the rest then stays in `_arrived`."""
        any_arrived = bool(self._arrived)
        while self._arrived:
            completion = self._arrived.popleft()
            seq = completion.call_seq
            flight = self._flights.get(seq)
            if flight is None or flight.call.attempt != completion.attempt:
                late = f"call {seq} answered after its time limit; the answer was not used"
                self._desk.draft.add(bodies.notice("warn", late) | {"late": True, "lateCall": seq})
                continue
            del self._flights[seq]
            self._desk.draft.add(self._ended(flight.attempt, completion))
            if seq not in self._pauses:
                self._desk.deliver(seq, completion.ok, completion.value)
        return any_arrived

    def _ended(self, attempt: _Attempt, completion: Completion) -> bodies.Body:
        """The entry of an attempt that has ended: its result, or the pause before the next attempt."""
        message, desk = attempt.message, self._desk
        seq, key = message.call_seq, attempt.key
        if not completion.ok:
            completion.value.setdefault("tool", message.tool)
            pause = None if desk.settled else pause_ms(message.options, attempt.number, completion.value)
            if pause is not None:
                wake_at = desk.clock.now() + int(pause)
                self._pauses[seq] = _Pause(wake_at, attempt, completion.value)
                return bodies.backoff(
                    seq, key, wake_at, attempt.number, completion.value, reexecuted=attempt.reexecuted
                )
        return bodies.result(
            seq, key, completion.ok, completion.value, reexecuted=attempt.reexecuted, attempts=attempt.number
        )

    def _resume_paused(self, now: int) -> bool:
        due = sorted((pause.wake_at, seq) for seq, pause in self._pauses.items() if pause.wake_at <= now)
        for wake_at, seq in due:
            attempt = self._pauses.pop(seq).attempt
            self._desk.draft.add(bodies.fired(seq, attempt.key, now - wake_at, retry=attempt.number))
            self._queue(_Attempt(attempt.message, attempt.number + 1))
        return bool(due)

    def _time_out(self, now: int) -> bool:
        late = [flight for flight in self._flights.values() if flight.deadline is not None and flight.deadline <= now]
        for flight in late:
            if not flight.call.begun.is_set() and flight.call.timeout_ms is not None:  # it still waits for a thread
                self._flights[flight.call.call_seq] = replace(flight, deadline=now + flight.call.timeout_ms)
                continue
            flight.call.cancelled.set()
            message = f"{flight.call.tool} did not answer within {flight.call.timeout_ms:.0f} ms"
            error = {"code": str(Code.TIMEOUT), "message": message, "retryable": True, "detail": None}
            self._arrived.append(Completion(flight.call.call_seq, flight.call.attempt, False, error))
        return self._complete()

    # Parking and ending

    def busy(self) -> bool:
        return bool(self._flights)

    def next_at(self) -> int | None:
        pauses = [pause.wake_at for pause in self._pauses.values()]
        deadlines = [int(flight.deadline) for flight in self._flights.values() if flight.deadline is not None]
        return min(pauses + deadlines, default=None)

    def waits(self) -> list[dict[str, Any]]:
        return [
            {"kind": "retry", "callSeq": seq, "wakeAt": pause.wake_at} for seq, pause in sorted(self._pauses.items())
        ]

    def finish(self) -> None:
        """A call between two attempts has failed for good: its last error is its result."""
        while self._known:
            self._answer_known()
        for seq, pause in self._pauses.items():
            failed = bodies.result(seq, pause.attempt.key, False, pause.error, attempts=pause.attempt.number)
            self._desk.draft.add(failed)
        self._pauses.clear()

    def unstarted(self) -> bool:
        return bool(self._starting or self._transactional)

    def tell(self) -> None:
        """Let the tools know that their results are no longer wanted."""
        for flight in self._flights.values():
            flight.call.cancelled.set()

    def record_late(self, seconds: float) -> None:
        """After the run's end: wait for results at most `seconds` and write them, marked, without delivering them."""
        if not self._arrived:
            self._arrived.extend(self._desk.effects.wait(seconds))
        while self._arrived:
            completion = self._arrived.popleft()
            flight = self._flights.pop(completion.call_seq, None)
            if flight is not None:
                attempt = flight.attempt
                body = bodies.result(
                    completion.call_seq,
                    attempt.key,
                    completion.ok,
                    completion.value,
                    reexecuted=attempt.reexecuted,
                    attempts=completion.attempt,
                )
                self._desk.draft.add(body | {"late": True})
