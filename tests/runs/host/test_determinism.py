"""What a script sees live it sees again on replay, and after a crash at any commit."""

import os
import random

import pytest
from driving import Driven, cut, drive, is_sound, replays_identically, results, script
from programs import program, random_tool

from runs.host import Failed, Succeeded
from runs.host.memory import MemoryClock

BATCHES, PROGRAMS = 20, 50
STORM_PROGRAMS = 500 * int(os.environ.get("DAYBOOK_STORM", "1"))


def lived(seed: int) -> tuple[str, Driven]:
    source = script(program(random.Random(seed)))
    live = drive(source, tool=random_tool(seed), seed=seed)
    assert isinstance(live.outcome, Succeeded | Failed), live.outcome
    assert not isinstance(live.outcome, Failed) or live.outcome.error["code"] in {
        "workflow-error",
        "e0",
        "e1",
        "e2",
        "workflow-deadlock",
    }, live.outcome
    return source, live


def every_call_has_ended(driven: Driven) -> None:
    assert {body["callSeq"] for body in driven.bodies("call")} == set(results(driven.journal.entries))


def crashed_after(rounds: int, source: str, live: Driven, seed: int) -> None:
    """The run goes on after that commit elsewhere, with other answers in another order, and replays identically."""
    journal = cut(live.journal, rounds)
    known = set(results(journal.entries))
    resumed = drive(source, journal=journal, tool=random_tool(seed), seed=seed, clock=MemoryClock(live.clock.now()))
    is_sound(resumed.journal.entries)
    assert resumed.journal.entries[: len(cut(live.journal, rounds).entries)] == cut(live.journal, rounds).entries
    assert not known & {call_seq for call_seq, _ in resumed.effects.executed}
    every_call_has_ended(resumed)
    replays_identically(source, resumed)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_replay_to_the_byte_and_survive_a_crash_after_any_commit(batch: int) -> None:
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        source, live = lived(seed)
        is_sound(live.journal.entries)
        every_call_has_ended(live)
        replays_identically(source, live)
        crashed_after(random.Random(seed).randrange(len(live.journal.rounds) + 1), source, live, seed + 1)


@pytest.mark.storm
def test_random_programs_survive_a_crash_after_each_of_their_commits() -> None:
    for seed in range(10**6, 10**6 + STORM_PROGRAMS):
        source, live = lived(seed)
        for rounds in range(len(live.journal.rounds) + 1):
            crashed_after(rounds, source, live, seed + rounds)
