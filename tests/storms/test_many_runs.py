"""Many runs at once, while any process of the installation, workers and clocks alike, may die at any moment."""

import os
import random
import time

import pytest
from cases.engines import ALL
from cases.installation import Installation
from cases.replaying import assert_replay_agrees, assert_whole
from cases.verdict import executed_after_their_end, executed_again_without_mark
from helpers import eventually, kill

from runs.lifecycle import TERMINAL, Status
from runs.models import Run
from runs.models.store import StoreItem

pytestmark = [ALL, pytest.mark.heavy]
ENVIRON = {"DAYBOOK_WORKERS": "3", "DAYBOOK_MAX_CRASHES": "50"}
STORM = int(os.environ.get("DAYBOOK_STORM", "1"))

SCRIPT = """
for (let i = 0; i < 4; i++) {
    const had = await ctx.call('store.get', {key: ctx.runId, default: 0})
    await ctx.call('store.put', {key: ctx.runId, value: had + 1})
    await ctx.parallel([() => ctx.call('slow', {ms: 20}), () => ctx.call('counted', {v: i}), () => ctx.sleep(20)])
    await ctx.sleep(50 + (input * 37 + i * 61) % 300)
}
return await ctx.call('store.get', {key: ctx.runId})
"""


def test_many_runs_outlive_the_death_of_any_process(house: Installation) -> None:
    """Forty runs of transactional and other calls and parks, twelve deaths of random workers, pushers, monitors,
    clocks, whole clusters and web processes: every run ends, what is transactional happened exactly once, no journaled
    result was executed again."""
    seed = int(os.environ.get("DAYBOOK_SEED") or random.SystemRandom().randrange(10**6))
    print(f"storm: seed {seed}")
    chance = random.Random(seed)
    began = time.monotonic()
    runs = [house.run(SCRIPT, input=number) for number in range(40 * STORM)]
    left = Run.objects.exclude(status__in=TERMINAL)
    deaths = 0
    while deaths < 12 * STORM and left.exists():
        due = time.monotonic() + chance.uniform(0, 0.25)
        eventually(lambda due=due: time.monotonic() >= due, every=0.005)
        victim = chance.choice([*house.workers(), *house.mains()])
        if isinstance(victim, int):
            kill(victim)
        else:
            house.kill_and_start_again(victim)
        deaths += 1
    eventually(lambda: not left.exists(), what="all runs have ended")
    print(f"{deaths} deaths, {time.monotonic() - began:.1f} s")
    for run in Run.objects.filter(pk__in=[run.pk for run in runs]).select_related("source", "journal"):
        assert (run.status, run.output) == (Status.SUCCEEDED, 4), run.error
        assert StoreItem.objects.get(key=run.pk).value == 4
        assert_whole(run)
        assert_replay_agrees(run)
        executions = house.executions(run)
        assert executed_after_their_end(run, executions) == []
        assert executed_again_without_mark(run, executions) == set()
