"""C12: two hundred sleeping runs end, however often their workers go away."""

import random

from cases.engines import BOTH
from cases.installation import Installation, entries
from cases.replaying import assert_replay_agrees, assert_whole
from cases.verdict import executed_after_their_end, executed_again_without_mark
from helpers import eventually, kill

from runs.lifecycle import TERMINAL, Status
from runs.models import Run

pytestmark = BOTH
ENVIRON = {"DAYBOOK_RESIDENT_SLEEP_MS": "1000", "DAYBOOK_WORKERS": "3"}


def test_c12_two_hundred_sleepers_outlive_their_workers(house: Installation) -> None:
    """C12: 200 runs sleeping 50 to 9,000 ms while workers restart: all end; lateness is reported."""
    chance = random.Random(12)
    sleeps = [chance.randint(50, 9_000) for _ in range(200)]
    body = "const t = await ctx.call('tick', {}); await ctx.sleep(input); return t + await ctx.call('tick', {})"
    runs = [house.run(body, input=ms) for ms in sleeps]
    left = Run.objects.exclude(status__in=TERMINAL)
    for share in (170, 120, 70):
        eventually(lambda share=share: left.count() < share)
        if share == 120:
            kill(*house.workers())
            continue
        old, before = house.cluster, len(house.workers())
        house.cluster = house.start("qcluster", "--skip-checks")
        eventually(lambda before=before: len(house.workers()) > before, what="the new cluster is there")
        house.stop(old)
    eventually(lambda: not left.exists(), what="all have ended")
    late = []
    for run in Run.objects.filter(pk__in=[run.pk for run in runs]).select_related("source", "journal"):
        assert run.status == Status.SUCCEEDED, run.error
        assert_whole(run)
        executions = house.executions(run)
        assert executed_again_without_mark(run, executions) == set()
        assert executed_after_their_end(run, executions) == []
        assert len(executions) > 2 or run.output == 3
        (fired,) = entries(run, "fired")
        late.append(fired.body["lateMs"])
    assert_replay_agrees(run)
    late.sort()
    assert late[0] >= 0
    print(f"C12: lateness median {late[100]} ms, 95% {late[190]} ms, most {late[-1]} ms")
