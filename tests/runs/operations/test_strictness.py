"""After any cut and any edit the run goes on in strict mode, executes nothing that it has an answer to, and replays to
the byte when it has ended."""

import os
import random

import pytest
from driving import Driven, drive, is_sound, replays_identically, results, script
from driving import cut as crashed
from programs import _statement, random_tool
from rehearsing import Rehearsed, rehearse, seqs

from runs.host import Failed, Succeeded
from runs.host.memory import MemoryClock, MemoryJournal
from runs.operations.cutting import Cut, before, whole, without_end_of

BATCHES, PROGRAMS = 12, 40
STORM = int(os.environ.get("DAYBOOK_STORM", "1"))
HEAD = "const acc = []; const see = (x) => acc.push(x === undefined ? null : JSON.parse(JSON.stringify(x)));\n"


def statement(rng: random.Random) -> str:
    """One that needs nobody to answer it."""
    while True:
        made = _statement(rng, 0)
        if "ctx.delegate" not in made and "ctx.waitForEvent" not in made:
            return made


def statements(rng: random.Random) -> list[str]:
    return [statement(rng) for _ in range(rng.randrange(2, 6))]


def body(parts: list[str], end: str) -> str:
    return script(HEAD + "\n".join(parts) + end)


def edited(rng: random.Random, parts: list[str]) -> list[str]:
    """One or two statements taken out, put in, moved or doubled; or none."""
    parts = list(parts)
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(parts) + 1)
        match rng.choice(["out", "in", "move", "double"]):
            case "out" if parts:
                parts.pop(at % len(parts))
            case "in":
                parts.insert(at, statement(rng))
            case "move" if parts:
                parts.insert(at, parts.pop(rng.randrange(len(parts))))
            case "double" if parts:
                parts.insert(at, parts[at % len(parts)])
    return parts


def random_cut(rng: random.Random, entries: list) -> Cut:
    calls = [entry for entry in entries if entry.kind == "result"]
    if calls and rng.random() < 0.4:
        return without_end_of(entries, rng.choice(calls).call_seq)
    if entries and rng.random() < 0.5:
        return before(entries, rng.choice(entries).call_seq or 1)
    return whole(entries)


def nothing_that_was_kept_is_executed_again(made: Rehearsed, going: Driven) -> None:
    """A new call is executed only when no result for its content is left."""
    asked = {body["callSeq"]: body for body in going.bodies("call")}
    used = [body["keptFrom"] for body in asked.values() if "keptFrom" in body]
    assert len(used) == len(set(used))
    left = {entry.body["key"] for entry in made.cut.kept if entry.call_seq in made.report.kept - set(used)}
    executed = {seq for seq, _ in going.effects.executed} - set(seqs(made.report.new))
    assert not left & {asked[seq]["key"] for seq in executed}


def operated(seed: int) -> None:
    rng = random.Random(seed)
    parts, end = statements(rng), rng.choice(["return acc", "throw new Error('end')"])
    live = drive(body(parts, end), tool=random_tool(seed), seed=seed)
    journal = crashed(live.journal, rng.randrange(len(live.journal.rounds) + 1)) if rng.random() < 0.5 else live.journal
    entries = list(journal.entries)
    source = body(edited(rng, parts), "return acc")
    made = rehearse(source, entries, lambda kept: random_cut(rng, list(kept)), at=live.clock.now())

    journal = MemoryJournal(made.remains)
    journal.left_behind = entries
    going = drive(source, journal=journal, tool=random_tool(seed + 1), seed=seed, clock=MemoryClock(live.clock.now()))
    assert isinstance(going.outcome, Succeeded | Failed), going.outcome
    if isinstance(going.outcome, Failed):
        assert going.error["code"] != "replay-diverged", (seed, going.error["message"])
    is_sound(going.journal.entries)
    assert not set(seqs(made.report.reused)) & {call_seq for call_seq, _ in going.effects.executed}
    assert not set(seqs(made.report.orphans)) & set(results(going.journal.entries))
    nothing_that_was_kept_is_executed_again(made, going)
    replays_identically(source, going)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_cut_and_edited_at_random_go_on_strictly(batch: int) -> None:
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        operated(seed)


@pytest.mark.heavy
def test_many_random_programs_cut_and_edited_at_random_go_on_strictly() -> None:
    for seed in range(10**6, 10**6 + 400 * STORM):
        operated(seed)
