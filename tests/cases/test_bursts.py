"""Runs that are started faster than one worker can look: each is claimed at once, and none waits for the clock."""

import random
import threading
import time

from cases.engines import BOTH
from cases.installation import Installation
from django.db import connections
from helpers import PATIENCE, eventually

pytestmark = BOTH
# A clock that nudges so late that a run which depended on it would not end.
ENVIRON = {"DAYBOOK_RENUDGE_SECONDS": "3000", "DAYBOOK_WORKERS": "4"}


def test_no_start_among_many_waits_for_the_clock(house: Installation) -> None:
    """A start whose nudge was spared, because another's was on its way, is seen by the worker that this one wakes."""
    house.succeeded(house.run("return 1"))
    runs = []

    def start_some(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(50):
            runs.append(house.run("return await ctx.call('slow', {ms: 30, v: 1})"))
            due = time.monotonic() + chance.uniform(0, 0.05)
            eventually(lambda due=due: time.monotonic() >= due, every=0.002)
        connections.close_all()

    threads = [threading.Thread(target=start_some, args=[seed]) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE)
    ended = [house.ended(run) for run in runs]
    waited = sorted((run.started_at - run.created_at).total_seconds() for run in ended)
    print(f"from start to claim: median {waited[75] * 1000:.0f} ms, most {waited[-1] * 1000:.0f} ms")
    assert len(ended) == 150
