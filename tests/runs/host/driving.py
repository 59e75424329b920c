"""Driving runs in memory: scripts from bodies, tools that do as they are told, advance after advance until the end."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from post import Listening, Post

from journal.entries import Entry
from runs.host import Call, Completion, Control, Failed, Host, HostLimits, Outcome, Parked, Succeeded
from runs.host.failure import failure
from runs.host.memory import MemoryClock, MemoryEffects, MemoryJournal
from runs.realm import Limits

Tool = Callable[[Call], Completion]


def script(body: str) -> str:
    """`body` as the main function; its first line is line 2 of the source."""
    return "export default async function (input, ctx) {\n" + body + "\n}\n"


@dataclass
class Tools:
    """`echo` gives its input back, `tick` counts, `boom` fails with its input, `flaky` fails until attempt `until`."""

    ticks: int = 0
    seen: list[Call] = field(default_factory=list)

    def __call__(self, call: Call) -> Completion:
        self.seen.append(call)
        ok, value = self._answer(call)
        return Completion(call.call_seq, call.attempt, ok, value)

    def _answer(self, call: Call) -> tuple[bool, Any]:
        given = call.input if isinstance(call.input, dict) else {}
        match call.tool.removeprefix("tx."):
            case "tick":
                self.ticks += 1
                return True, self.ticks
            case "boom":
                code, message = given.get("code", "boom"), given.get("message", "it broke")
                return False, failure(code, message, detail=given.get("detail"), retryable=bool(given.get("retryable")))
            case "flaky" if call.attempt < given["until"]:
                return False, failure("flaky", f"attempt {call.attempt}", retryable=True)
            case "slow":
                return True, given.get("v")
        return True, call.input


class TimedEffects(MemoryEffects):
    """Completes each call `ms` of its input after its start, in that order; `ms` of null never."""

    def __init__(self, tool: Tool, clock: MemoryClock) -> None:
        super().__init__(tool, clock)
        self.due: dict[tuple[int, int], float] = {}

    def start(self, call: Call) -> None:
        super().start(call)
        ms = call.input.get("ms", 0) if isinstance(call.input, dict) else 0
        self.due[call.call_seq, call.attempt] = float("inf") if ms is None else self._clock.now() + ms

    def wait(self, seconds: float | None) -> list[Completion]:
        until = float("inf") if seconds is None else self._clock.now() + seconds * 1000
        first = min(self.out, key=lambda call: self.due[call.call_seq, call.attempt], default=None)
        due = float("inf") if first is None else self.due[first.call_seq, first.attempt]
        at = min(due, until)
        assert at != float("inf"), "the host waits for nothing, for ever"
        self._clock.time = max(self._clock.time, int(at))
        if first is None or due > until:
            return []
        self.out.remove(first)
        return [self.execute(first)]


@dataclass
class Driven:
    """What came of driving a run: the last outcome, and how many times it parked."""

    outcome: Outcome
    journal: MemoryJournal
    effects: MemoryEffects
    clock: MemoryClock
    parks: int

    @property
    def output(self) -> Any:
        assert isinstance(self.outcome, Succeeded), self.outcome
        return self.outcome.output

    @property
    def error(self) -> dict[str, Any]:
        assert isinstance(self.outcome, Failed), self.outcome
        return self.outcome.error

    @property
    def text(self) -> str:
        """The outcome as JSON text: what must be the same live and replayed."""
        return f"{type(self.outcome).__name__} {json.dumps(asdict(self.outcome))}"

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        return [entry.body for entry in self.journal.entries if entry.kind == kind]

    def kinds(self) -> list[str]:
        return [entry.kind for entry in self.journal.entries]

    def notices(self) -> list[str]:
        return [body["message"] for body in self.bodies("log") if body.get("origin") == "host"]


def drive(
    source: str,
    *,
    input: Any = None,
    journal: MemoryJournal | Sequence[Entry] = (),
    tool: Tool | None = None,
    effects: type[MemoryEffects] | None = None,
    seed: int = 0,
    clock: MemoryClock | None = None,
    limits: HostLimits | None = None,
    control: Control | None = None,
    advances: int = 200,
) -> Driven:
    """Advance until the run no longer parks, the clock moving to each wake time. A `Post` brings its own clock and may
    leave the run parked for ever."""
    kept = journal if isinstance(journal, MemoryJournal) else MemoryJournal(journal)
    if isinstance(kept, Post):
        clock, control = kept.clock, control or Listening()
    clock = clock or MemoryClock()
    tools = tool or Tools()
    works = effects(tools, clock) if effects else MemoryEffects(tools, clock, random.Random(seed))
    for parks in range(advances):
        host = Host(
            run_id="run-1",
            source=source,
            input=input,
            journal=kept,
            effects=works,
            clock=clock,
            limits=limits or HostLimits(),
            control=control,
        )
        outcome = host.advance()
        if not isinstance(outcome, Parked):
            return Driven(outcome, kept, works, clock, parks)
        if isinstance(kept, Post):
            if not kept.goes_on(outcome):
                return Driven(outcome, kept, works, clock, parks + 1)
            continue
        assert outcome.wake_at is not None, f"nothing wakes the run: {outcome.wait}"
        clock.time = max(clock.time, outcome.wake_at)
    return Driven(outcome, kept, works, clock, advances)


def run(body: str, **how: Any) -> Driven:
    """Drive the script with this body."""
    return drive(script(body), **how)


def output(body: str, **how: Any) -> Any:
    """The output of the script with this body, the same again on replay."""
    driven = run(body, **how)
    replays_identically(script(body), driven, **how)
    return driven.output


def error(body: str, **how: Any) -> dict[str, Any]:
    """The error of the script with this body, the same again on replay."""
    driven = run(body, **how)
    replays_identically(script(body), driven, **how)
    return driven.error


def small(**realm: Any) -> HostLimits:
    """Limits for scripts that are meant to hit them."""
    return HostLimits(realm=Limits(**{"fuel_ms": 200, **realm}))


def replays_identically(source: str, live: Driven, **how: Any) -> None:
    """The journal of `live` gives the same outcome again, executes nothing and appends nothing."""
    how = {name: value for name, value in how.items() if name in {"input", "limits"}}
    clock = MemoryClock(live.clock.now())
    again = drive(source, journal=list(live.journal.entries), tool=_no_tool, clock=clock, seed=99, **how)
    assert again.text == live.text
    added = again.journal.entries[len(live.journal.entries) :]
    assert not added, f"replay appended {[entry.body for entry in added]}"


def _no_tool(call: Call) -> Completion:
    raise AssertionError(f"replay executed {call}")


def cut(journal: MemoryJournal, rounds: int) -> MemoryJournal:
    """The journal as a crash after `rounds` commits leaves it."""
    kept = MemoryJournal()
    for round in journal.rounds[:rounds]:
        kept.commit(round)
    return kept


def results(entries: Sequence[Entry]) -> list[int]:
    """The callSeqs that have a result, once for each result."""
    return [entry.call_seq for entry in entries if entry.kind == "result"]


def is_sound(entries: Sequence[Entry]) -> None:
    """seq 1 to n without gap, and never two results of one call."""
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    answered = results(entries)
    assert len(answered) == len(set(answered))
