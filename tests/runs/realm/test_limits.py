"""Fuel, memory and stack: whatever a script does about them, its run fails with the code, the next one works."""

import resource
import sys
import time
from pathlib import Path

import pytest
from driving import output, run, script, small

from runs.realm import FuelExhausted, Limits, Realm, Table

ENDLESS = {
    "sync": "for (;;);",
    "after an await": "await ctx.call('echo'); for (;;);",
    "in a microtask chain": "const go = () => { Promise.resolve().then(go) }; go(); await ctx.call('echo')",
    "in awaits of nothing": "(async () => { for (;;) await null })(); await ctx.call('echo'); return 1",
    "in queueMicrotask": "const go = () => queueMicrotask(go); go(); return await ctx.call('echo')",
    "in a getter of the result": "return {get x() { for (;;); }}",
    "in a getter of an input": "return await ctx.call('echo', {get x() { for (;;); }}).catch(() => 'won')",
    "in toJSON": "return {toJSON() { for (;;); }}",
    "in toString of a log": "console.log({toString() { for (;;); }, toJSON() { for (;;); }}); return 1",
    "in an iterator": "for (const x of {*[Symbol.iterator]() { for (;;) yield 1 }}); return 1",
    "in a regex": "return /^(a+)+$/.test('a'.repeat(60) + 'b')",
    "in a comparator": "return [3, 2, 1].sort(() => { for (;;); })",
    "in a message of an error": "throw {get message() { for (;;); }}",
    "in a proxy trap": "return Object.keys(new Proxy({}, {ownKeys() { for (;;); }}))",
    "in a then of a thenable": "return await {then() { for (;;); }}",
    "in finally": "for (;;) try { for (;;); } catch {} finally { continue }",
    "in catch of try": "try { for (;;); } catch { return 'won' }",
    "swallowed by an async function": "const f = async () => { for (;;); }; await f().catch(() => {}); return 'won'",
    "swallowed twice": "const f = async () => { for (;;); }; for (;;) await f().catch(() => {});",
    "swallowed by allSettled": (
        "await Promise.allSettled([(async () => { for (;;); })()]); return await ctx.call('echo')"
    ),
    "in a thunk": "return await ctx.parallelSettled([() => { for (;;); }])",
    "in a step": "return await ctx.step('s', () => { for (;;); }).catch(() => 'won')",
    "in parsing": "for (;;) JSON.parse('[1,2,3]')",
    "in logging": "for (;;) console.log",
    "in many jobs, each within the fuel": (
        "for (let i = 0; i < 60; i++) { await null; for (let k = 0, n = 0; k < 2e6; k++) n += k }"
        " await ctx.call('echo'); return 'won'"
    ),
    "C29: includes on a huge length": "return Array.prototype.includes.call({length: 2 ** 32 - 1}, 1)",
    "C29: a nested quantifier": "return /(x+x+)+y/.test('x'.repeat(50))",
    "C30: a promise that reschedules itself beside a call": (
        "const spin = async () => { for (;;) await Promise.resolve() }; spin(); return await ctx.call('echo', 1)"
    ),
}


@pytest.mark.parametrize("way", ENDLESS)
def test_computing_without_end_is_fuel_exhausted(way: str) -> None:
    began = time.thread_time()
    error = run(ENDLESS[way], limits=small()).error
    assert error["code"] == "fuel-exhausted"
    assert "200 ms" in error["message"]
    assert time.thread_time() - began < 3


def test_the_default_fuel_is_two_seconds_a_slice() -> None:
    began = time.thread_time()
    assert run("for (;;);").error["code"] == "fuel-exhausted"
    assert 1.5 < time.thread_time() - began < 4


def test_fuel_is_of_a_slice_not_of_the_run() -> None:
    body = (
        "let n = 0; for (let i = 0; i < 8; i++) { for (let k = 0; k < input; k++) n += k; await ctx.call('echo') }"
        " return 'done'"
    )
    one = Realm(Limits(fuel_ms=10_000))
    one.load(
        "export default () => {{ let n = 0; for (let k = 0; k < 1e6; k++) n += k }}",
        Table(),
        input=None,
        run_id="r",
        now=0,
    )
    one.start()
    count = int(1e6 * 0.05 / one.cpu)  # about 50 ms of CPU a slice
    assert run(body, input=count, limits=small()).output == "done"


def test_the_budget_of_a_run_ends_many_slices_that_are_each_within_their_fuel() -> None:
    from runs.host import HostLimits

    body = "for (let i = 0; i < 500; i++) { for (let k = 0; k < 3e5; k++); await ctx.call('echo') } return 'done'"
    driven = run(body, limits=HostLimits(cpu_ms=100))
    assert driven.error["code"] == "cpu-exhausted"
    assert 0 < len(driven.bodies("result")) < 500


def test_the_budget_of_a_run_counts_over_its_parks() -> None:
    from runs.host import HostLimits

    body = "for (let i = 0; i < 100; i++) { for (let k = 0; k < 3e5; k++); await ctx.sleep(5000) } return 'done'"
    driven = run(body, limits=HostLimits(cpu_ms=100))
    assert driven.error["code"] == "cpu-exhausted"
    assert driven.parks > 1


OVERFLOWS = {
    "sync": "const f = () => 1 + f(); f()",
    "async": "const f = async () => 1 + await f(); await f()",
    "JSON.stringify": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)",
    "JSON.parse": "JSON.parse('['.repeat(1e5))",
    "a getter": "return {get x() { return this.x }}.x",
    "toString": "const o = {toString() { return '' + this }}; return '' + o",
    "toJSON": "return JSON.stringify({toJSON() { return JSON.stringify(this) }})",
    "a proxy": "const p = new Proxy({}, {get: (t, k, r) => r[k]}); return p.x",
    "a thunk": "const f = () => ctx.parallel([f]); return await f()",
    "a step": "const f = () => ctx.step('s', f); return await f()",
    "after an await": "await ctx.call('echo'); const f = () => 1 + f(); f()",
}


@pytest.mark.parametrize("way", OVERFLOWS)
def test_recursion_without_end_is_a_stack_overflow(way: str) -> None:
    error = run(OVERFLOWS[way]).error
    assert error["code"] == "stack-overflow"
    assert "Use a loop" in error["message"]


def test_a_stack_overflow_can_be_caught_and_the_run_goes_on() -> None:
    assert output("const f = () => 1 + f(); try { f() } catch (e) { return [e.name, await ctx.call('echo', 1)] }") == [
        "RangeError",
        1,
    ]


@pytest.mark.parametrize("body", ["throw null", "throw 'null'", "await new Promise((_, reject) => reject(null))"])
def test_a_null_that_the_script_throws_itself_is_not_taken_for_exhausted_memory(body: str) -> None:
    error = run(body).error
    assert (error["code"], error["message"]) == ("workflow-error", "the script threw null")


@pytest.mark.parametrize("length", ["'x'.padEnd(2 ** 30)", "'x'.repeat(2 ** 30)", "new Array(-1)"])
def test_a_length_that_no_string_or_array_can_have_is_an_error_that_the_script_can_catch(length: str) -> None:
    assert output(f"try {{ return {length}.length }} catch (e) {{ return e.name }}") == "RangeError"


@pytest.mark.parametrize(
    "pattern", ["'('.repeat(2e4) + ')'.repeat(2e4)", "'(?:'.repeat(1e5) + ')'.repeat(1e5)", "'['.repeat(1e5)"]
)
def test_a_regex_nested_too_deeply_is_an_error_of_the_script(pattern: str) -> None:
    assert run(f"new RegExp({pattern}); return 1").error["code"] in {"workflow-error", "stack-overflow"}


HUNGRY = {
    "C32: doubling a string to 500 MB": "let s = 'abcdefgh'; while (s.length < 5e8) s += s; return s.indexOf('q')",
    "C32: 800 arrays of half a megabyte": (
        "const all = []; for (let i = 0; i < 800; i++) all.push(new Array(65536).fill(i)); return all.length"
    ),
    "a spread without end": "return [...{*[Symbol.iterator]() { for (;;) yield 'xxxxxxxxxxxxxxxx' }}]",
    "a typed array": "return new Uint8Array(1e9).length",
    "small objects, until none is left for the error": "let o = {}; for (;;) o = {o}",
    "caught, and still held": (
        "let a = null; try { for (;;) a = [a, 1, 2] } catch { return await ctx.call('echo', a.length) }"
    ),
    "repeating": "return 'x'.repeat(2 ** 29).length",
    "promises": "const all = []; for (;;) all.push(new Promise(() => {}))",
    "a huge result": "let s = 'abcdefgh'; while (s.length < 5e8) s += s; return s",
    "a huge message": "let s = 'abcdefgh'; while (s.length < 5e8) s += s; throw new Error(s)",
    "closures in a map": "const m = new Map(); for (let i = 0; ; i++) m.set(i, () => i)",
}


@pytest.mark.parametrize("way", HUNGRY)
def test_taking_memory_without_end_is_out_of_memory(way: str) -> None:
    error = run(HUNGRY[way]).error
    assert error["code"] == "out-of-memory"
    assert output("return 'the next run works'") == "the next run works"


@pytest.mark.parametrize(
    "chain",
    [
        "const go = () => Promise.resolve().then(go); go();",
        "const go = async () => { await null; return go() }; go().catch(() => {});",
        "const a = [], f = async () => { for (;;) { await null; a.push({a}) } }; f().catch(() => { a.length = 0 });",
    ],
)
def test_memory_that_is_taken_job_by_job_is_counted_and_no_promise_swallows_it(chain: str) -> None:
    error = run(f"{chain} return await ctx.call('echo')", limits=small(memory_bytes=32 << 20, fuel_ms=60_000)).error
    assert error["code"] == "out-of-memory"
    assert "32 MiB" in error["message"]


def test_a_join_of_a_huge_sparse_array_is_stopped() -> None:
    """C29: the join heeds no interrupt until it runs out of memory, or out of elements: the engine's choice."""
    began = time.thread_time()
    assert run("return new Array(2e8) + ''", limits=small(memory_bytes=16 << 20)).error["code"] in {
        "out-of-memory",
        "fuel-exhausted",
    }
    assert time.thread_time() - began < 20


def resident_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if sys.platform == "linux" else 0
    return pages * resource.getpagesize() // 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_runs_that_fail_for_memory_leave_none_behind() -> None:
    for _ in range(5):
        run(HUNGRY["C32: 800 arrays of half a megabyte"])
    before = resident_kib()
    for _ in range(15):
        run(HUNGRY["C32: 800 arrays of half a megabyte"])
    assert resident_kib() - before < 16 * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("count", [1_000, pytest.param(5_000, marks=pytest.mark.heavy)])
def test_thousands_of_runs_leave_memory_flat(count: int) -> None:
    """C33. A leak of a KiB a run is seen."""
    source = script(
        "const p = new Promise(() => {}); p.me = p; const o = {ctx, p}; o.o = o; return await ctx.call('echo', 1)"
    )

    def realm() -> None:
        one = Realm(Limits())
        one.load(source, Table(), input={"a": [1]}, run_id="r", now=0)
        one.start()
        assert len(one.drain()) == 1
        one.settle(1, True, {"x": 1}, 1)
        assert len(one.drain()) == 1

    for _ in range(300):
        realm()
    before = resident_kib()
    for _ in range(count):
        realm()
    assert resident_kib() - before < count


def test_a_realm_that_is_out_of_fuel_says_so_itself() -> None:
    realm = Realm(Limits(fuel_ms=100))
    realm.load("export default () => { for (;;); }", Table(), input=None, run_id="r", now=0)
    with pytest.raises(FuelExhausted):
        realm.start()
