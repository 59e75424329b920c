"""The names a script can see, and what must not be reachable from them by any path."""

import json
import time
from pathlib import Path

import pytest
from driving import error, output, run

from runs.realm import Limits, Realm

# An upgrade of the engine that adds a name fails here: look whether it brings a clock, randomness or code from text.
HERE = Path(__file__).parent
GLOBALS = (HERE / "global_names.txt").read_text().split()
MATH = (HERE / "math_names.txt").read_text().split()
NO_DATE = "Date is not available in workflows; use await ctx.now()"
NO_RANDOM = "Math.random is not available in workflows; take randomness as input"
NO_CODE = "code from text is not available in workflows"

# Everything that can be reached by properties, prototypes and accessors, handed to `check(value, path)`.
WALK = """
  const seen = new Map(), queue = [];
  const add = (v, path) => {
    if (v === null || (typeof v !== 'object' && typeof v !== 'function') || seen.has(v)) return;
    seen.set(v, path); queue.push(v);
  };
  const failure = await ctx.call('boom').catch((e) => e);
  const roots = {ctx, console, ActionError, AggregateError, Array, ArrayBuffer, AsyncDisposableStack, BigInt,
    DOMException,
    DataView, Date, DisposableStack, Error, Float16Array, InternalError, Iterator, JSON, Map, Math, Number, Object,
      Promise,
    Proxy, Reflect, RegExp, Set, String, SuppressedError, Symbol, TextDecoder, TextEncoder, Uint8Array, WeakMap,
      WeakSet,
    atob, queueMicrotask, structuredClone, failure, f() {}, af: async () => {}, g: function* () {},
      ag: async function* () {},
    it: [][Symbol.iterator](), mi: new Map().keys(), re: /a/g[Symbol.matchAll]('a'), wrapped: Iterator.from({next()
      {}}),
    pending: ctx.call('echo'), duration: ctx.minutes(1), plain: new Error('x'), args: (function ()
      { return arguments })(),
    meta: import.meta, own: await import('<input>')};
  for (const k of Reflect.ownKeys(roots)) add(roots[k], k);
  while (queue.length) {
    const v = queue.shift(), path = seen.get(v);
    add(Object.getPrototypeOf(v), path + '.__proto__');
    for (const k of Reflect.ownKeys(v)) {
      const d = Object.getOwnPropertyDescriptor(v, k);
      for (const part of ['value', 'get', 'set']) add(d[part], path + '.' + String(k)
        + (part === 'value' ? '' : '#' + part));
    }
  }
"""


def own_names(of: str) -> list[str]:
    text = Realm(Limits())._context.eval(
        f"JSON.stringify(Reflect.ownKeys({of}).filter((k) => typeof k === 'string').sort())"
    )
    return list(json.loads(text))


def test_the_global_names_are_exactly_these() -> None:
    assert own_names("this") == sorted(GLOBALS)


def test_the_names_of_math_are_exactly_these() -> None:
    assert own_names("Math") == sorted(MATH)


def test_what_the_engine_s_host_uses_is_gone_when_the_script_runs() -> None:
    assert (
        output(
            "return [typeof __host, typeof __take, typeof globalThis, typeof eval, typeof Function, typeof performance]"
        )
        == ["undefined"] * 6
    )


def test_nothing_reachable_is_a_clock_randomness_weak_or_makes_code() -> None:
    forbidden = """
      const bad = [];
      const names = new Set(['WeakRef', 'FinalizationRegistry', 'Atomics', 'SharedArrayBuffer', 'eval', 'performance',
        'toISOString', 'getTimezoneOffset', 'deref', 'rawJSON', 'captureTime', '__host', '__take', 'evalScript', 'gc']);
      for (const [v, path] of seen) {
        const tag = Object.prototype.toString.call(v);
        if (tag === '[object Date]' || tag === '[object WeakRef]') bad.push(path);
        if (typeof v === 'function' && names.has(v.name)) bad.push(path);
        if (typeof v === 'function' && ['Date', 'Function', 'AsyncFunction', 'GeneratorFunction',
          'AsyncGeneratorFunction', 'random',
            'now', 'parse', 'UTC'].includes(v.name) && v !== ctx.now && v !== JSON.parse) {
          try { v('return 1'); bad.push(path + ' answers'); } catch (e)
            { if (!/not available in workflows/.test(e.message)) bad.push(path + ' ' + e.message); }
        }
      }
      return {n: seen.size, bad};
    """
    found = run(WALK + forbidden).output
    assert found["n"] > 300
    assert found["bad"] == []


def test_no_function_that_takes_no_argument_returns_a_number_near_the_time() -> None:
    """Whatever a new clock is called: no reachable function, called on nothing, gives a moment of this century."""
    called = """
      const bad = [];
      for (const [v, path] of seen) {
        if (typeof v !== 'function' || path.startsWith('ctx') || path.startsWith('console')) continue;
        let answer;
        try { answer = Number(v()); } catch { continue; }
        for (const unit of [1, 1000, 1e6, 1e9]) if (Math.abs(answer / unit - input.now) < 1e8) bad.push(path);
      }
      return bad;
    """
    assert run(WALK + called, input={"now": time.time()}).output == []


@pytest.mark.parametrize(
    "use",
    [
        "Date()",
        "new Date()",
        "new Date(0)",
        "Date.now()",
        "Date.parse('2020')",
        "Date.UTC(2020)",
        "Reflect.construct(Date, [])",
        "class D extends Date {}; new D()",
    ],
)
def test_date_throws_the_message_of_the_specification(use: str) -> None:
    assert error(f"\n{use}")["message"] == f"Error: {NO_DATE}"
    assert error(f"\n{use}")["line"] == 3


@pytest.mark.parametrize("use", ["Math.random()", "Math['ran' + 'dom']()", "Reflect.apply(Math.random, null, [])"])
def test_math_random_throws_the_message_of_the_specification(use: str) -> None:
    assert error(use)["message"] == f"Error: {NO_RANDOM}"


@pytest.mark.parametrize(
    "assignment", ["Date = 1", "Math.random = () => 4", "Date.now = () => 4", "delete Math.random"]
)
def test_the_stubs_cannot_be_replaced(assignment: str) -> None:
    assert error(assignment)["message"].startswith("TypeError: ")


@pytest.mark.parametrize(
    "way",
    [
        "(0, function () {}.constructor)('return 1')",
        "(async () => {}).constructor('return 1')",
        "(function* () {}).constructor('yield 1')",
        "(async function* () {}).constructor('yield 1')",
        "new (class {}).constructor('return 1')",
        "Math.max.constructor('return 1')",
        "ctx.call.constructor('return 1')",
        "Reflect.construct((() => {}).constructor, ['return 1'])",
        "(class extends (() => {}).constructor {}).constructor('return 1')",
        "Date.constructor('return 1')",
        "Object.getPrototypeOf(async () => {}).constructor('return 1')",
    ],
)
def test_no_constructor_makes_code_from_text(way: str) -> None:
    assert error(f"return typeof {way}")["message"] == f"Error: {NO_CODE}"


@pytest.mark.parametrize(
    "way",
    [
        "(0, eval)('1')",
        "eval('1')",
        "Function('1')",
        "globalThis.x",
        "setTimeout(() => {})",
        "require('fs')",
        "process.env",
        "fetch('x')",
    ],
)
def test_names_that_a_script_may_expect_elsewhere_do_not_exist(way: str) -> None:
    assert error(f"return {way}")["message"].startswith("ReferenceError: ")


def test_this_is_undefined_everywhere() -> None:
    assert (
        output("return [typeof this, typeof (function () { return this })(), typeof (() => this)()]")
        == ["undefined"] * 3
    )


def test_import_reaches_nothing_but_the_script_itself() -> None:
    assert output("const own = await import('<input>'); return Object.keys(own)") == ["default"]
    assert error("return await import('os')")["code"] == "workflow-error"
    assert output("return Object.keys(import.meta)") == []


def test_a_script_that_imports_itself_by_the_engine_s_name_gets_only_its_own_export() -> None:
    from driving import drive

    source = (
        "import main from '<input>';\nexport const x = 1;\nexport default async function (i, ctx) { return [typeof"
        " main, await ctx.call('echo', 1)] }"
    )
    assert drive(source).output == ["function", 1]
