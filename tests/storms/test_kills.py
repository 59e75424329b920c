"""The main promise under fire: a script of 300 calls and two parked sleeps, its worker killed again and again at random
moments, ends with the right output, and nothing whose result was journaled runs again.

`make storm` (DAYBOOK_STORM) multiplies the kills; DAYBOOK_SEED repeats a storm.
"""

import http.client
import os
import random
import time
from contextlib import closing

import pytest
from cases.engines import ALL
from cases.installation import Installation, entries, look, pid_of
from cases.verdict import executed_after_their_end, executed_again_without_mark
from django.contrib.auth import get_user_model
from django.test import Client
from helpers import PATIENCE, alive, answers, eventually, kill

from runs.lifecycle import Status
from runs.models import Run

pytestmark = [ALL, pytest.mark.storm]
STORM = int(os.environ.get("DAYBOOK_STORM", "1"))
ENVIRON = {"DAYBOOK_WORKERS": "4", "DAYBOOK_JOURNAL_MAX_ENTRIES": str(5_000 * STORM)}
KILLS = 20 * STORM

# 300 calls for each unit of STORM: one at a time, ten at a time, and some that fail before they succeed.
SCRIPT = """
const seen = []
for (let i = 0; i < 10 * input; i++) {
    for (let j = 0; j < 8; j++) seen.push(await ctx.call('slow', {ms: 8, v: seen.length}))
    const at = seen.length
    seen.push(...await ctx.parallel(
        Array.from({length: 20}, (_, j) => () => ctx.call('slow', {ms: 10 + (j * 7) % 40, v: at + j}))))
    const retry = {maxAttempts: 9, backoffMs: 10, maxBackoffMs: 40}
    seen.push(await ctx.call('flaky', {good_at: 2}, {retry}), await ctx.call('flaky', {good_at: 1}, {retry}))
    if (i == 3 || i == 7) await ctx.sleep(400)
}
return seen
"""


def expected() -> list[int]:
    seen: list[int] = []
    for _ in range(10 * STORM):
        seen += range(len(seen), len(seen) + 28)
        seen += [2, 1]
    return seen


class Storm:
    """Kills the holder of a run at random moments, spread over its journal so that all come before its end; never a
    third time at one entry, which ends a run as interrupted."""

    def __init__(self, house: Installation, run: Run, chance: random.Random) -> None:
        self.house, self.run, self.chance = house, run, chance
        self.killed: list[int] = []
        self.killed_mains: list[int] = []

    def rage(self) -> None:
        for seq in sorted(self.chance.randrange(480 * STORM) for _ in range(KILLS)):
            with self.house.explained(self.run):
                eventually(lambda seq=seq: look(self.run).journal.next_seq >= seq, every=0.005)
                due = time.monotonic() + self.chance.uniform(0, 0.06)
                eventually(lambda due=due: time.monotonic() >= due, every=0.002)
                pid = eventually(self._victim, every=0.005)
            kill(pid)
            eventually(lambda pid=pid: not alive(pid))
            self.killed.append(pid)
            if len(self.house.ports) > 1 and len(self.killed) % 4 == 0:
                self._kill_main()

    def _kill_main(self) -> None:
        """Of several of each: a whole cluster, a clock or a web process, in turn, which are started again."""
        kind = ("qcluster", "runclock", "daphne")[len(self.killed_mains) % 3]
        victim = self.chance.choice(self.house.mains(kind))
        self.house.kill_and_start_again(victim)
        self.killed_mains.append(victim.pid)

    def _victim(self) -> int | None:
        found = look(self.run)
        assert not found.is_terminal, found.error
        if found.crashes >= 2 and found.crashed_at_seq == found.journal.next_seq:
            return None
        pid = pid_of(found.worker) if found.status == Status.RUNNING else None
        return pid if pid and self.house.started_it(pid) else None


def shows(port: int, run: Run) -> int:
    """The status of the run's page, as the web process of that port answers its owner, once it is there."""
    client = Client()
    client.force_login(get_user_model().objects.get_or_create(username="ada", is_superuser=True)[0])
    eventually(lambda: answers(port))
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as web:
        web.request("GET", f"/runs/{run.pk}/", headers={"cookie": cookie})
        return web.getresponse().status


def test_a_run_outlives_twenty_kills_of_its_worker(house: Installation) -> None:
    """A script of 300 calls and two parked sleeps, with its worker killed by SIGKILL 20 times at random moments, ends
    with the right output, every call with a journaled result executed once, and seq 1..n without gap."""
    seed = int(os.environ.get("DAYBOOK_SEED") or random.SystemRandom().randrange(10**6))
    began = time.monotonic()
    run = house.run(SCRIPT, input=STORM, title=f"seed {seed}")
    storm = Storm(house, run, random.Random(seed))
    print(f"storm: seed {seed}, {KILLS} kills")
    storm.rage()
    ended = house.succeeded(run)
    executions = house.executions(run)
    print(f"{len(storm.killed)} done, {len(executions)} executions, {time.monotonic() - began:.1f} s")
    assert len(storm.killed) == KILLS
    if house.ports:
        assert len(storm.killed_mains) == KILLS // 4
        for port in house.ports:
            assert shows(port, run) == 200
    assert ended.output == expected()
    assert len(entries(run, "result")) == 300 * STORM
    assert executed_after_their_end(run, executions) == []
    assert executed_again_without_mark(run, executions) == set()
    last = {execution.token: execution.attempt for execution in executions}
    assert sorted(last.values()) == [1] * 290 * STORM + [2] * 10 * STORM
    assert len([entry for entry in entries(run, "fired") if "retry" not in entry.body]) == 2
