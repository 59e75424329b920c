"""What a script sees live it sees again on replay, and after a crash at any commit."""

import os
import random

import pytest
from driving import Driven, drive, is_sound, replays_identically, results, script
from post import Post
from programs import program, random_post, random_tool

from runs.host import Failed, Parked, Succeeded

BATCHES, PROGRAMS = 20, 50
STORM_PROGRAMS = 500 * int(os.environ.get("DAYBOOK_STORM", "1"))


def lived(seed: int) -> tuple[str, Driven]:
    source = script(program(random.Random(seed)))
    live = lived_on(source, random_post(seed), seed)
    assert not isinstance(live.outcome, Failed) or live.outcome.error["code"] in {
        "workflow-error",
        "e0",
        "e1",
        "e2",
        "workflow-deadlock",
    }, live.outcome
    return source, live


def lived_on(source: str, post: Post, seed: int) -> Driven:
    """Until the run ends; where nothing else comes any more, signals of both names do."""
    for _ in range(50):
        driven = drive(source, journal=post, tool=random_tool(seed), seed=seed)
        if not isinstance(driven.outcome, Parked):
            assert isinstance(driven.outcome, Succeeded | Failed), driven.outcome
            return driven
        for name in ("a", "b"):
            post.signal(name, f"extra {len(post.coming)}", after=1)
    raise AssertionError(f"the run never ends\n{source}")


def every_call_has_ended(driven: Driven) -> None:
    """Of tools: a child that nobody awaits goes on by itself."""
    calls = {body["callSeq"] for body in driven.bodies("call") if body["op"] == "tool"}
    assert calls <= set(results(driven.journal.entries))


def no_signal_was_lost_or_doubled(driven: Driven) -> None:
    """Each is in the inbox or in one event, and each event ends the one wait that it names."""
    post = driven.journal
    assert isinstance(post, Post)
    sent = {letter.id: letter.payload for _, letter in post.coming if letter.kind == "signal"}
    events = driven.bodies("event")
    told = [event["payload"] for event in events if "timedOut" not in event]
    assert sorted(map(str, told)) == sorted(str(sent[taken]) for taken in post.taken if taken in sent)
    waits = {wait["waitId"]: wait for wait in driven.bodies("wait")}
    ended = [event["waitId"] for event in events]
    assert len(ended) == len(set(ended))
    for event in events:
        assert "timedOut" in event or waits[event["waitId"]]["match"].get("signal", event["signal"]) == event["signal"]
    assert [body["childRunId"] for body in driven.bodies("call") if body["op"] == "agent"] == [
        child.run_id for child in post.children
    ]


def crashed_after(rounds: int, source: str, live: Driven, seed: int) -> None:
    """The run goes on after that commit elsewhere, with other answers in another order, and replays identically."""
    assert isinstance(live.journal, Post)
    journal = live.journal.cut(rounds)
    before = list(journal.entries)
    known = set(results(before))
    resumed = lived_on(source, journal, seed)
    is_sound(resumed.journal.entries)
    assert resumed.journal.entries[: len(before)] == before
    no_signal_was_lost_or_doubled(resumed)
    assert not known & {call_seq for call_seq, _ in resumed.effects.executed}
    every_call_has_ended(resumed)
    replays_identically(source, resumed)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_replay_to_the_byte_and_survive_a_crash_after_any_commit(batch: int) -> None:
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        source, live = lived(seed)
        is_sound(live.journal.entries)
        every_call_has_ended(live)
        no_signal_was_lost_or_doubled(live)
        replays_identically(source, live)
        crashed_after(random.Random(seed).randrange(len(live.journal.rounds) + 1), source, live, seed + 1)


@pytest.mark.heavy
def test_random_programs_survive_a_crash_after_each_of_their_commits() -> None:
    for seed in range(10**6, 10**6 + STORM_PROGRAMS):
        source, live = lived(seed)
        no_signal_was_lost_or_doubled(live)
        for rounds in range(len(live.journal.rounds) + 1):
            crashed_after(rounds, source, live, seed + rounds)
