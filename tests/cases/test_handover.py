"""C24 and the stop of a cluster: what is resident is finished or handed over, and another cluster goes on."""

from cases.installation import Installation, look, pid_of
from helpers import eventually

from runs.lifecycle import Status
from runs.models import Run

# Nobody dies here, so no lease need end: a slow machine must not look like a death.
ENVIRON = {"DAYBOOK_SLOTS": "4", "DAYBOOK_LEASE_SECONDS": "60"}


def test_a_cluster_that_is_stopped_hands_its_runs_over(house: Installation) -> None:
    """SIGTERM to qcluster while runs are resident: handed over within DRAIN_SECONDS, another cluster goes on, nothing
    is left owned by the dead."""
    held = [
        house.run("const a = await ctx.call('tick', {}); await ctx.call('gate', {name: 'stop'}); return a")
        for _ in range(6)
    ]
    short = house.run("return await ctx.call('slow', {ms: 400, v: 'in time'})")
    for run in held:
        eventually(lambda run=run: house.counts(run).get("gate") == 1)
    eventually(lambda: house.counts(short))
    house.stop(house.cluster)
    assert house.cluster.returncode == 0
    assert house.succeeded(short).output == "in time"
    for run in map(look, held):
        assert (run.status, run.worker, run.crashes) == (Status.QUEUED, "", 0)
    house.cluster = house.start("qcluster", "--skip-checks")
    house.open("stop")
    for run in held:
        assert house.succeeded(run).output == 1
        assert house.counts(run) == {"gate": 2, "tick": 1}


def test_c26_an_old_cluster_drains_while_a_new_one_starts(house: Installation) -> None:
    """C26: TERM to an old cluster while a new one starts: it drains or hands over; nothing is owned by the dead."""
    old = house.cluster
    runs = [
        house.run("let n; for (let i = 0; i < 20; i++) n = await ctx.call('counted', {v: i}); return n")
        for _ in range(40)
    ]
    eventually(lambda: Run.objects.filter(status=Status.RUNNING).exists())
    house.cluster = house.start("qcluster", "--skip-checks")
    house.stop(old)
    for run in runs:
        ended = house.succeeded(run)
        assert ended.output == 19
        assert ended.crashes == 0
    assert not [run for run in Run.objects.filter(status=Status.RUNNING) if not pid_of(run.worker)]


def test_c24_a_retry_shorter_than_the_work_doubles_nothing(house: Installation) -> None:
    """C24: q2 retry shorter than the work: no duplicate effect; a system check warns."""
    said = house.manage("check", check=False, DAYBOOK_TASK_RETRY="1", DAYBOOK_TASK_TIMEOUT="60")
    assert said.returncode != 0
    assert "daybook.E001" in said.stderr
    house.stop(house.cluster)
    short = {"DAYBOOK_TASK_RETRY": "1", "DAYBOOK_TASK_TIMEOUT": "60", "DAYBOOK_SLOTS": "1"}
    house.cluster = house.start("qcluster", "--skip-checks", **short)
    runs = [house.run("return await ctx.call('slow', {ms: 1200, v: 1})") for _ in range(4)]
    for run in runs:
        assert house.succeeded(run).output == 1
        assert house.counts(run) == {"slow": 1}
        assert look(run).fence == 1
