"""A tree under fire: one root, its children and grandchildren, with sleeps and signals, two workers that are killed at
random. Everything ends, no child twice, no signal lost or doubled; counted from the tools' own record.

A small tree is part of every test run; `make storm` grows the large one. DAYBOOK_SEED repeats a storm.
"""

import os
import random
import time
from dataclasses import dataclass

import pytest
from cases.engines import ALL
from cases.here import events, inbox
from cases.installation import Installation, entries, look
from cases.replaying import assert_replay_agrees, assert_whole
from cases.verdict import executed_after_their_end, executed_again_without_mark
from helpers import eventually, kill

from runs import signals
from runs.lifecycle import TERMINAL, Status
from runs.models import Run

pytestmark = ALL
ENVIRON = {"DAYBOOK_WORKERS": "2", "DAYBOOK_MAX_CRASHES": "100"}

LEAF = """export default async (input, ctx) => {
    await ctx.sleep(20 + (input * 37) % 300);
    const got = await ctx.waitForEvent({signal: 'go'}, {label: 'leaf ' + input});
    await ctx.call('counted', {v: got.payload});
    return got.payload;
}"""
CHILD = """export default async ({ leaf, number, leaves }, ctx) => {
    await ctx.call('counted', {v: number});
    await ctx.sleep(150 + (number * 61) % 200);
    const got = await ctx.parallel(Array.from({length: leaves}, (_, i) => () =>
        ctx.delegate({script: leaf, input: number * leaves + i, title: 'leaf'})));
    return [...got, (await ctx.waitForEvent({signal: 'done'})).payload];
}"""
ROOT = """
const { child, leaf, children, leaves } = input;
const all = await ctx.parallel(Array.from({length: children}, (_, number) => () =>
    ctx.delegate({script: child, input: {leaf, number, leaves}, title: 'child'})));
await ctx.call('counted', {v: 'end'});
return all;
"""


@dataclass(frozen=True)
class Size:
    children: int
    leaves: int
    kills: int
    seconds: float

    @property
    def runs(self) -> int:
        return 1 + self.children * (1 + self.leaves)


SMALL = Size(5, 4, 4, 300)
LARGE = Size(50, 4, 12 * int(os.environ.get("DAYBOOK_STORM", "1")), 1200)


@pytest.mark.parametrize("size", [SMALL, pytest.param(LARGE, marks=pytest.mark.heavy)], ids=["small", "large"])
def test_a_tree_outlives_the_death_of_its_workers(house: Installation, size: Size) -> None:
    seed = int(os.environ.get("DAYBOOK_SEED") or random.SystemRandom().randrange(10**6))
    print(f"storm: seed {seed}")
    chance = random.Random(seed)
    began = time.monotonic()
    run = house.run(ROOT, input={"child": CHILD, "leaf": LEAF, "children": size.children, "leaves": size.leaves})
    tree = Run.objects.filter(root=run.pk)
    sent: set[str] = set()
    deaths = 0
    due = time.monotonic() + chance.uniform(0.2, 1)
    with house.explained(run):
        while tree.exclude(status__in=TERMINAL).exists():
            assert time.monotonic() < began + size.seconds, "not everything has ended"
            tell_the_new_ones(run, sent)
            if deaths < size.kills and time.monotonic() >= due and (workers := house.workers()):
                kill(chance.choice(workers))
                if len(house.ports) > 1:
                    house.kill_and_start_again(chance.choice(house.mains()))
                deaths += 1
                due = time.monotonic() + chance.uniform(0.2, 1)
    print(f"{deaths} deaths, {tree.count()} runs, {time.monotonic() - began:.1f} s")
    assert tree.count() == size.runs, "a child was made twice, or not at all"
    assert len(sent) == size.runs - 1
    everything_is_as_it_should_be(house, run, size)


def tell_the_new_ones(run: Run, sent: set[str]) -> None:
    """Each child and grandchild gets one signal, sent twice with one id, as soon as it is there; a few at a time."""
    below = Run.objects.filter(root=run.pk).exclude(pk=run.pk).values_list("pk", "title")
    for pk, title in [(pk, title) for pk, title in below if pk not in sent][:10]:
        name = {"leaf": "go", "child": "done"}[title]
        outcomes = [signals.send(pk, name, f"{name} {pk}", id="once").outcome for _ in range(2)]
        assert outcomes[0] in ("delivered", "kept")
        assert outcomes[1] == "repeated"
        sent.add(pk)


def everything_is_as_it_should_be(house: Installation, run: Run, size: Size) -> None:
    answered = []
    for one in Run.objects.filter(root=run.pk).select_related("source", "journal"):
        assert one.status == Status.SUCCEEDED, one.error["message"]
        assert_whole(one)
        assert_replay_agrees(one)
        assert inbox(one) == []
        executions = house.executions(one)
        assert executed_after_their_end(one, executions) == []
        assert executed_again_without_mark(one, executions) == set()
        assert len({execution.token for execution in executions}) == 1, "each run has one call"
        if one.pk != run.pk:
            (told,) = events(one)
            assert told.endswith(one.pk)
            answered.append(told)
    assert len(answered) == size.runs - 1
    output = look(run).output
    assert sorted(payload for child in output for payload in child) == sorted(answered)
    made = [entry.body["childRunId"] for entry in entries(run, "call") if entry.body["op"] == "agent"]
    assert len(set(made)) == size.children


def test_the_storm_waits_for_nothing_else(house: Installation) -> None:
    """What the tests of this module have left behind: nothing."""
    eventually(lambda: not Run.objects.exclude(status__in=TERMINAL).exists())
