"""Scripts that patch the built-ins: the engine goes on as if they had not, and the other effects keep their values."""

import json

import pytest
from driving import Driven, run, script
from driving import replays_identically as replay_of

from journal import codec

# What runs after each patch: calls, a failure, fan-out, a step, a log, the clock, a sleep. `E` collects own state.
WORK = """
  const a = await ctx.call('echo', {v: [1, {b: 'x'}]});
  let failed = null;
  try { await ctx.call('boom', {detail: {d: 1}}) } catch (e) { failed = [e.code, e.message, e.callSeq, e.tool] }
  const both = await ctx.parallel([() => ctx.call('echo', 'p'), async () => { await ctx.sleep(5); return 'q' }]);
  const mixed = await ctx.parallelSettled([() => ctx.call('boom'), () => ctx.call('echo', 2)]);
  const stepped = await ctx.step('work', () => ctx.call('echo', 'in step'));
  await ctx.plan(['one', 'work']);
  await ctx.log('warn', 'text', {n: 1});
  console.log('said', 1);
  const now = await ctx.now();
  return [a.v[0], a.v[1].b, failed[0], failed[1], failed[2], failed[3], both[0], both[1], mixed[0].status,
    mixed[1].value, stepped, typeof now];
"""
EXPECTED = [1, "x", "boom", "it broke", 2, "boom", "p", "q", "rejected", 2, "in step", "number"]

PATCHES = [
    "JSON.parse = JSON.stringify = () => 'forged'",
    "delete JSON.parse; delete JSON.stringify",
    "Promise.prototype.then = function () { throw new Error('patched') }",
    "Promise.prototype.catch = Promise.prototype.finally = () => 1",
    "Promise.resolve = Promise.reject = Promise.all = Promise.race = () => 'forged'",
    (
        "Object.defineProperty(Promise, Symbol.species, {get() { return class { constructor(f) { f(() => {}, () => {})"
        " } } }})"
    ),
    "Map.prototype.get = Map.prototype.set = Map.prototype.has = Map.prototype.delete = () => 'forged'",
    "Map.prototype.forEach = () => {}",
    (
        "for (const n of ['push', 'shift', 'map', 'forEach', 'join', 'slice', 'concat', 'indexOf']) Array.prototype[n]"
        " = () => 'forged'"
    ),
    "Array.isArray = () => false",
    "Array.prototype[Symbol.iterator] = function* () { yield 'forged' }",
    "Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({done: true})",
    (
        "for (let i = 0; i < 40; i++) Object.defineProperty(Array.prototype, i, {set() {}, get() { return 'forged' },"
        " configurable: true})"
    ),
    (
        "for (let i = 0; i < 40; i++) Object.defineProperty(Object.prototype, i, {set() {}, get() { return 'forged' },"
        " configurable: true})"
    ),
    "Object.defineProperty(Object.prototype, 'n', {set() {}, get() { return 7 }})",
    (
        "for (const n of ['code', 'message', 'line', 'callSeq', 'tool', 'ok', 'key', 'value', 'done', 'first', 'state',"
        " 'consumers', 'retry', 'timeoutMs']) Object.defineProperty(Object.prototype, n, {__proto__: null, get() {"
        " return undefined }, set() {}, configurable: true})"
    ),
    "Object.prototype.get = function () {}",
    "Object.prototype.set = function () {}",
    "Object.prototype.writable = false; Object.prototype.enumerable = true",
    "Object.prototype.retry = {maxAttempts: 5}; Object.prototype.description = 'forged'",
    "Object.keys = Object.defineProperty = Object.freeze = Object.getPrototypeOf = () => 'forged'",
    "Reflect.apply = () => 'forged'",
    "const F = Object.getPrototypeOf(() => 1); F.call = F.apply = F.bind = () => 'forged'",
    "for (const n of ['slice', 'charCodeAt', 'toString', 'replace', 'split']) String.prototype[n] = () => 'forged'",
    "String.prototype.toJSON = Number.prototype.toJSON = Boolean.prototype.toJSON = () => 'forged'",
    "Object.prototype.toString = () => '[object Map]'",
    "try { Error.prepareStackTrace = () => 'forged' } catch {}",
    "try { Error.stackTraceLimit = 0 } catch {}",
    "Error.captureStackTrace = () => { throw 1 }",
    "Object.defineProperty(Error.prototype, 'message', {get() { throw 1 }}); Error.prototype.name = 'forged'",
    "try { ActionError.prototype.code = 'forged' } catch {}",
    "try { Object.defineProperty(ActionError, Symbol.hasInstance, {value: () => true}) } catch {}",
    "for (const C of [Error, Promise, Map]) Object.defineProperty(C, Symbol.hasInstance, {value: () => false})",
    "try { Math.ceil = Math.floor = () => -1 } catch {}",
    "Uint8Array.prototype.slice = () => 'forged'",
    "try { console.log = 1 } catch {}",
    "try { ctx.call = () => 'forged' } catch {}",
    "try { Object.setPrototypeOf(ctx, {}) } catch {}",
    "ctx.call.call = ctx.call.apply = () => 'forged'; ctx.call.prototype = null",
    "try { Object.getPrototypeOf(ctx.call('echo')).then = () => 'forged' } catch {}",
]


def entries_are_what_was_asked(driven: Driven, calls_before: int) -> None:
    """The journal has the true inputs and outputs, whatever the script made of its own built-ins."""
    inputs = [body["input"] for body in driven.bodies("call")][calls_before:]
    assert inputs == [{"v": [1, {"b": "x"}]}, {"detail": {"d": 1}}, "p", None, 2, "in step"]
    for entry in driven.journal.entries:
        assert codec.decode(entry.data) == entry.body
        json.dumps(entry.body)


@pytest.mark.parametrize("patch", PATCHES)
def test_a_patched_builtin_changes_nothing_of_the_engine(patch: str) -> None:
    body = patch + ";" + WORK
    if "ctx.call('echo')" in patch:
        before = 1
        expected = [*EXPECTED[:4], 3, *EXPECTED[5:]]
    else:
        before, expected = 0, EXPECTED
    driven = run(body)
    assert driven.output == expected
    entries_are_what_was_asked(driven, before)
    replay_of(script(body), driven)


@pytest.mark.parametrize(
    "patch",
    [
        "Object.prototype.toJSON = () => 'forged'",
        "Array.prototype.toJSON = () => 'forged'",
        "Object.prototype.then = function (f) { f('forged') }",
        "Object.defineProperty(Object.prototype, 'then', {get() { throw 1 }})",
        "Object.defineProperty(Promise.prototype, 'constructor', {get() { throw new Error('patched') }})",
        "Promise.prototype.constructor = class { constructor(f) { f(() => {}, () => {}) } }",
        "Promise.prototype.constructor = 5",
        "Object.defineProperty(Object.prototype, '__proto__', {get() { throw 1 }, set() { throw 1 }})",
        "Object.setPrototypeOf(Object.prototype, new Proxy({}, {get() { throw 1 }}))",
        "Array.prototype.length = 3",
        "Object.defineProperty(Object.prototype, 'toJSON', {get() { throw new Error('patched') }})",
    ],
)
def test_a_patch_that_changes_what_the_script_s_own_values_mean_ends_that_run_alone(patch: str) -> None:
    """Right or failed: never an exception of the host. The next run is not touched."""
    driven = run(patch + ";" + WORK)
    assert type(driven.outcome).__name__ in {"Succeeded", "Failed"}
    replay_of(script(patch + ";" + WORK), driven)
    assert run(WORK).output == EXPECTED
