"""The stories that made runs have: lived once each by the real host, on a journal, tools and a clock in memory."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from journal.entries import Entry
from runs.health.signs import Sign, signs_of
from runs.host import Canceled, Control, Failed, Host, Letter, Outcome, Parked, Succeeded
from runs.host.failure import failure
from runs.host.memory import MemoryClock, MemoryEffects, MemoryJournal
from runs.host.ports import Call, Completion
from runs.lifecycle import Status

_SCRIPTS = Path(__file__).resolve().parent / "scripts"
_CHILD = 'export default async (item, ctx) => (await ctx.call("echo", { v: item.name })).length'  # as in batch.js
_EPOCH = 1_700_000_000_000
_TEAMS = ("finance", "legal", "support", "shipping", "purchasing")
_REGIONS = ("north", "south", "east", "west", "overseas")


@dataclass(frozen=True, slots=True)
class Story:
    """One life of a run. Times of `entries` and of `wait` are in ms from its start; `children` are the stories of its
    children by the id that they have in the entries."""

    script: str
    source: str
    title: str
    input: Any
    status: Status
    entries: list[Entry]
    lasted_ms: int
    outcome: Outcome
    plan: Any
    signs: Sign
    children: dict[str, "Story"] = field(default_factory=dict)


@cache
def source_of(script: str) -> str:
    return (_SCRIPTS / f"{script}.js").read_text(encoding="utf-8")


@cache
def stories(seed: int = 0, *, each: int = 40) -> list[tuple[int, Story]]:
    """(weight, story): how often it is met among the roots. The same seed gives the same ones."""
    rng = random.Random(seed)  # noqa: S311  (test data)
    return [
        *((40, _invoice(rng, n)) for n in range(each)),
        *((7, _invoice(rng, n, fails=_REFUSED)) for n in range(each // 2)),
        *((3, _invoice(rng, n, fails=_SILENT)) for n in range(each // 4)),
        *((2, _invoice(rng, n, broken=True)) for n in range(each // 8)),
        *((4, _approval(rng, n)) for n in range(each // 2)),
        *((6, _approval(rng, n, answered=True)) for n in range(each // 2)),
        *((4, _approval(rng, n, canceled=True)) for n in range(each // 4)),
        *((3, _report(rng, n)) for n in range(each)),
        *((3, _batch(rng, n)) for n in range(each // 4)),
    ]


_REFUSED = ("tool-error", "the bank answered 503", True)
_SILENT = ("timeout", "http.request did not answer within 30000 ms", True)


def _invoice(rng: random.Random, n: int, fails: tuple[str, str, bool] | None = None, broken: bool = False) -> Story:
    order = {"number": f"{2024 + n % 3}-{rng.randrange(10**6):06}", "amount": rng.randrange(500, 90_000)}

    def tool(call: Call) -> Completion:
        if call.tool == "http.request" and fails:
            code, message, retryable = fails
            return Completion(call.call_seq, call.attempt, False, failure(code, message, retryable=retryable))
        value = {"status": 402 if broken else 200} if call.tool == "http.request" else None
        return Completion(call.call_seq, call.attempt, True, value)

    return _lived("invoice", f"Invoice {order['number']}", order, rng, tool)


def _approval(rng: random.Random, n: int, *, answered: bool = False, canceled: bool = False) -> Story:
    team = _TEAMS[n % len(_TEAMS)]
    request = {"team": team, "what": f"{rng.randrange(2, 90)} new chairs"}
    letters = [Letter(1, "signal", {"by": team}, "approved")] if answered else []
    return _lived("approval", f"Approval by {team}: {request['what']}", request, rng, _echo, letters, canceled)


def _report(rng: random.Random, n: int) -> Story:
    region = _REGIONS[n % len(_REGIONS)]
    given = {"region": region, "pages": rng.randrange(1, 6), "restDays": rng.randrange(200, 360)}
    return _lived("report", f"Report of the {region}", given, rng, _echo)


def _batch(rng: random.Random, n: int) -> Story:
    items = [f"{n}-{rng.randrange(10**4):04}" for _ in range(2 + n % 4)]
    answers = [
        Letter(seq, "child", {"ok": True, "value": len(name), "childRunId": f"child-{seq}"}, call_seq=seq)
        for seq, name in enumerate(items, 1)
    ]
    told = _lived("batch", f"Batch {n} of {len(items)} items", {"items": items}, rng, _echo, answers)
    children = {
        f"child-{seq}": _lived("", f"Item {name}", {"name": name}, rng, _echo, source=_CHILD)
        for seq, name in enumerate(items, 1)
    }
    told.children.update(children)
    return told


def _echo(call: Call) -> Completion:
    return Completion(call.call_seq, call.attempt, True, call.input["v"])


def _lived(
    script: str,
    title: str,
    given: Any,
    rng: random.Random,
    tool: Any,
    letters: Any = (),
    canceled: bool = False,
    source: str = "",
) -> Story:
    source = source or source_of(script)
    journal, clock = MemoryJournal(), MemoryClock(_EPOCH)
    outcome: Outcome = Parked(None, [])
    for inbox in [[], *([letter] for letter in letters)]:
        journal.inbox = list(inbox)
        outcome = _advanced(source, given, journal, clock, MemoryEffects(tool, clock, rng))
        clock.time += rng.randrange(50, 900)
    if canceled:
        control = Control(cancel="canceled: no longer needed")
        outcome = _advanced(source, given, journal, clock, MemoryEffects(tool, clock, rng), control)
    plans = [round.plan for round in journal.rounds if round.plan is not None]
    return Story(
        script,
        source,
        title,
        given,
        _status(outcome),
        journal.entries,
        clock.time - _EPOCH,
        outcome,
        plans[-1] if plans else None,
        signs_of(entry.body for entry in journal.entries),
    )


def _advanced(
    source: str,
    given: Any,
    journal: MemoryJournal,
    clock: MemoryClock,
    effects: MemoryEffects,
    control: Control | None = None,
) -> Outcome:
    host = Host(
        run_id="0" * 26, source=source, input=given, journal=journal, effects=effects, clock=clock, control=control
    )
    return host.advance()


def _status(outcome: Outcome) -> Status:
    match outcome:
        case Succeeded():
            return Status.SUCCEEDED
        case Failed():
            return Status.FAILED
        case Canceled():
            return Status.CANCELED
    return Status.WAITING


def offsets(story: Story) -> Iterator[tuple[int, Entry]]:
    """The entries with their ms from the start."""
    return ((entry.at - _EPOCH, entry) for entry in story.entries)


def since_start(moment_ms: int) -> int:
    """A moment of the story's clock in ms from its start."""
    return moment_ms - _EPOCH
