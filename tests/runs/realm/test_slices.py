"""The engine's clock counts the whole process: a slice that other threads cut short is not the script's fault."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from driving import Driven, Tools, drive, is_sound, replays_identically, run, script, small

from runs.host import Call, Completion
from runs.host.memory import MemoryClock, MemoryEffects
from runs.realm import Realm, SliceCutShort

WORK = (
    "let n = 0; for (let i = 0; i < 4; i++) { for (let k = 0; k < input; k++) n += k; await ctx.call('tick') } return"
    " 'done'"
)


@contextmanager
def cut_short(monkeypatch: pytest.MonkeyPatch, at: set[int]) -> Iterator[list[int]]:
    """Cuts the n-th settling of a result short, counted over all realms of the run."""
    settled: list[int] = []
    original = Realm.settle

    def settle(self: Realm, *args: Any) -> None:
        settled.append(args[0])
        original(self, *args)
        if len(settled) in at:
            raise SliceCutShort

    with monkeypatch.context() as patch:
        patch.setattr(Realm, "settle", settle)
        yield settled


class AllAtOnce(MemoryEffects):
    """Answers with everything that is out, in one go."""

    def wait(self, seconds: float | None) -> list[Completion]:
        if not self.out:
            return super().wait(seconds)
        out, self.out = self.out, []
        return [self.execute(call) for call in out]


FAN = """
  const after = (v) => ctx.call('tx.echo', v).then(() => ctx.call('tick'));
  const all = await ctx.parallel([1, 2, 3].map((v) => () => ctx.call('echo', v).then(after)));
  return [all.length, await ctx.call('echo', 'end')];
"""


PLAIN = """
  const twice = (v) => ctx.call('echo', v).then(() => ctx.call('tick'));
  const all = await ctx.parallel([1, 2, 3].map((v) => () => twice(v)));
  return [all.length, await ctx.call('echo', 'end')];
"""


def each_call_ran_once(driven: Driven) -> None:
    ran = [call_seq for call_seq, _ in driven.effects.executed]
    assert sorted(ran) == sorted({body["callSeq"] for body in driven.bodies("call")})
    assert not [body for body in driven.bodies("result") if body.get("reexecuted")]


@pytest.mark.parametrize("body", [FAN, PLAIN])
@pytest.mark.parametrize("at", [{1}, {2}, {3}, {5}, {1, 2, 3}, {2, 4, 6, 7}])
def test_a_slice_cut_short_is_run_again_and_nothing_is_executed_twice_or_lost(
    at: set[int], body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cut_short(monkeypatch, at) as settled:
        driven = run(body, effects=AllAtOnce)
        assert len(settled) >= max(at)
    assert driven.output == [3, "end"]
    each_call_ran_once(driven)
    is_sound(driven.journal.entries)
    replays_identically(script(body), driven)


def test_what_arrived_with_a_result_that_ran_out_of_fuel_is_recorded() -> None:
    body = (
        "await ctx.parallel([() => ctx.call('echo', 1).then(() => { for (;;); }), () => ctx.call('echo', 2), () =>"
        " ctx.call('echo', 3)])"
    )
    driven = run(body, effects=AllAtOnce, limits=small())
    assert driven.error["code"] == "fuel-exhausted"
    assert sorted(body["callSeq"] for body in driven.bodies("result")) == [1, 2, 3]
    assert [body["callSeq"] for body in driven.bodies("result") if body.get("late")] == [2, 3]


def test_threads_that_burn_cpu_beside_a_slice_do_not_fail_its_run() -> None:
    stop = threading.Event()

    def burn() -> None:
        realm = Realm(small(fuel_ms=60_000).realm)
        while not stop.is_set():
            realm._context.eval("for (let i = 0; i < 3e5; i++);")

    threads = [threading.Thread(target=burn) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        tools = Tools()
        driven = run(WORK, input=400_000, tool=tools, limits=small(fuel_ms=150))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert driven.output == "done"
    assert tools.ticks == 4


def test_a_slice_that_is_cut_short_again_and_again_is_fuel_exhausted(monkeypatch: pytest.MonkeyPatch) -> None:
    with cut_short(monkeypatch, set(range(1, 100))):
        driven = run(
            "return [await ctx.call('echo'), await ctx.call('echo'), await ctx.call('echo')].concat(await"
            " ctx.parallel(Array(20).fill(() => ctx.call('tick'))))",
            effects=AllAtOnce,
        )
    assert driven.error["code"] == "fuel-exhausted"


def test_a_retry_that_was_due_when_a_slice_was_cut_short_is_no_re_execution(monkeypatch: pytest.MonkeyPatch) -> None:
    body = """
      const flaky = ctx.call('flaky', {until: 2}, {retry: {backoffMs: 50}});
      const slept = ctx.sleep(50).then(() => ctx.call('tick'));
      return [await flaky, await slept];
    """
    with cut_short(monkeypatch, {1, 2}):
        driven = run(body)
    assert driven.output == [{"until": 2}, 1]
    assert [call_seq for call_seq, _ in driven.effects.executed].count(1) == 2
    assert not [body for body in driven.bodies("result") if body.get("reexecuted")]


def test_the_realm_remembers_which_calls_are_out_while_it_is_built_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = MemoryClock()
    seen: list[Call] = []

    def tool(call: Call) -> Completion:
        seen.append(call)
        return Completion(call.call_seq, call.attempt, True, call.input)

    with cut_short(monkeypatch, {1}):
        driven = drive(
            script("return await ctx.parallel([1, 2, 3].map((v) => () => ctx.call('echo', v)))"), tool=tool, clock=clock
        )
    assert driven.output == [1, 2, 3]
    assert len(seen) == 3
