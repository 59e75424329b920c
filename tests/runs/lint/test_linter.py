"""The whole of lint: what passes without a word, how large and how strange a source may be."""

import ast
import time
from pathlib import Path

import pytest

import runs.lint
from runs.lint import lint

FINE = {
    "the shape of the docs": "export default async function (input, ctx) { return input }",
    "an arrow": "export default async (input, ctx) => ctx.call('a', input)",
    "an arrow with one parameter": "export default input => input",
    "a named function": "export default function main(input) { return main.name + input }",
    "a name given later": "export default main; async function main(input, ctx) { await ctx.now() }",
    "a const arrow": "const main = async () => {};\nexport default main;",
    "a wrapped function": "const wrap = f => f; export default wrap(async () => 1)",
    "no ctx at all": "export default () => 1",
    "a hashbang": "#!/usr/bin/env daybook\nexport default () => 1",
    "a byte order mark": "\ufeffexport default () => 1",
    "carriage returns": "// a\r\nexport default () => 1\r\n",
    "async generators": """
        async function* pages(ctx) {
          for (let page = 1; ; page++) {
            const answer = await ctx.call('pages.read', { page });
            yield* answer.items;
            if (!answer.more) return;
          }
        }
        export default async function (input, ctx) {
          const all = [];
          for await (const item of pages(ctx)) all.push(item);
          return all;
        }""",
    "classes": """
        class Counter extends Map {
          #count = 0; static made = 0; static #secret = 1; 'quoted' = 2; [`computed`] = 3;
          static { this.made = Counter.#secret }
          get count() { return this.#count }
          set count(value) { this.#count = value }
          static async *each() { yield new.target }
          has(other) { return #count in other || super.has(other) }
        }
        export default () => new Counter().count""",
    "operators": """
        export default (input) => {
          let a = input?.list?.[0]?.(1) ?? 1_000_000n ** 2n;
          a ||= 1; a &&= 2; a ??= 3; a **= 2; a >>>= 1;
          const s = typeof a === 'bigint' ? 0b11 : 0o17 + 0xff + .5e-3, t = void 0;
          const u = delete input.x, v = 'x' in input;
          return [s, t, u, v, -a, +a, !a, ~a, a ? .5 : 1, input instanceof Map];
        }""",
    "destructuring": """
        export default async ({ a = 1, b: { c, ...rest } = {}, 'd-e': d, [`f`]: f }, { runId }) => {
          let x, y; [x, y] = [a, c]; ({ x, y = 2, ...rest.z } = { ...rest }); [rest.q, , ...x] = [1, 2, 3];
          const [first, , third = first, ...others] = x;
          return { x, y, d, f, runId, first, third, others };
        }""",
    "regular expressions": r"""
        export default (text) => [
          /(?<=\$)\d+(?<cents>\.\d{2})?/u, /[\p{L}--[a-z]]/v, /[/\]]/g, /a/dgimsy,
        ].map((r) => r.exec(text))
        """,
    "templates": "const tag = (s, ...v) => s.raw + v; export default (x) => tag`a${`b${x}`}c${{ d: 1 }}\\u0041`",
    "labels": "export default () => { out: for (const a of [1]) { for (;;) { if (a) continue out; break out } } }",
    "blocks with labels": "export default () => { done: { if (1) break done } switch (1) { case 1: break; default: } }",
    "accessors": "export default () => ({ get a() { return 1 }, set a(v) {}, async b() {}, *c() {}, async *d() {} })",
    "words that are no keywords": "const async = 1, of = 2, get = 3; export default () => async + of + get",
    "no semicolons": "const a = 1\nlet b = a\n;[a, b].forEach(x => x)\nconst c = a\n+ b\nexport default () => c\n",
    "try forms": "export default () => { try { throw 1 } catch { return 1 } finally { } }",
    "disposables": "export default async () => { { using a = null; await using b = null; return [a, b] } }",
    "errors of the realm": "export default async (i, c) => c.call('x').catch((e) => e instanceof ActionError)",
    "what the realm gives": "export default () => [TextEncoder, TextDecoder, structuredClone, console, queueMicrotask]",
    "durations": "export default async (i, ctx) => { await ctx.sleep(ctx.minutes(5)); await ctx.hours(1) }",
    "parallel": """
        export default async (input, ctx) => {
          const [a, b] = await ctx.parallel([() => ctx.call('a'), async () => { await ctx.sleep(1); return 2 }]);
          const all = await ctx.parallelSettled(input.items.map((item) => () => ctx.call('b', item)));
          return { a, b, all };
        }""",
    "promises kept": """
        export default async (input, ctx) => {
          const going = ctx.call('a');
          ctx.call('b').catch(() => {});
          const winner = await Promise.race([going, ctx.sleep(5)]);
          ctx.log('info', 'x'); ctx.plan({ steps: [] }); ctx.progress({ fraction: 1 }); console.log(winner);
          return ctx.continueAsNew(input);
        }""",
}


@pytest.mark.parametrize("name", FINE)
def test_valid_scripts_pass_without_a_word(name: str) -> None:
    assert lint(FINE[name]) == []


HANDLER = """
// Charges order %d and waits for the sign-off; the word Date is only a word.
async function handle%d(ctx, order, { limit = 100, notify: tell, ...rest } = {}) {
  const lines = order.lines.map((line) => ({ ...line, total: line.price * line.count }));
  let total = 0;
  for (const { total: part, tax = 0 } of lines) {
    if (part < 0) throw new Error(`negative line in ${order.id}: ${part}`);
    total += part + tax;
  }
  const answer = await ctx.call('payments.charge', { id: order.id, total }, { description: 'Charge' });
  if (answer?.status !== 'ok' && total > limit) {
    await ctx.parallel([() => ctx.call('mail.send', { to: tell, rest }), () => ctx.sleep(ctx.minutes(5))]);
  }
  return { total, text: /^[a-z]+$/u.test(order.name) };
}
"""
MAIN = "export default async (input, ctx) => handle0(ctx, input);\n"


def cost_of(source: str) -> float:
    """Seconds of CPU of this thread, so that a busy machine makes no difference; the source has no finding."""
    started = time.thread_time()
    assert lint(source) == []
    return time.thread_time() - started


def test_the_largest_script_costs_what_its_size_does() -> None:
    large, small = (MAIN + "".join(HANDLER % (number, number) for number in range(count)) for count in (335, 67))
    assert 240_000 < len(large) < 262_144
    # Five times as much; for what is quadratic twenty-five times. Each at its best of three, on a machine of others.
    assert min(cost_of(large) for _ in range(3)) < 15 * min(cost_of(small) for _ in range(3))


STRANGE = {
    "closed parentheses": "(" * 100_000 + "1" + ")" * 100_000,
    "open parentheses": "(" * 262_144,
    "open braces": "{" * 262_144,
    "open brackets": "[" * 262_144,
    "blocks with names": "{a;" * 30_000 + "}" * 30_000,
    "functions in functions": "function f(){" * 15_000 + "}" * 15_000,
    "functions that never end": "export default " + "function f(){" * 20_000,
    "comments that never end": "export default () => 1\n" + "/*" * 130_000,
    "comments for a value": "export default " + "/*" * 130_000,
    "comments with words that never end": "export default async () => {" + "/*await yield " * 18_000,
    "closing braces and names": "export default " + "}let a=" * 35_000,
    "statements that miss their end": "export default " + ";delete " * 30_000,
    "patterns and braces": "export default " + "}/a/=," * 40_000,
    "arrows in arrows": "x=" + "a=>" * 40_000 + "1",
    "calls of ctx in calls of ctx": "export default async (i,ctx)=>{" + "ctx.call(" * 22_000 + ")" * 22_000 + "}",
    "ctx in conditions": "export default async (i,ctx)=>{" + "i&&(ctx.now()," * 15_000 + "1" + ")" * 15_000 + "}",
    "parallel in parallel": "export default async (i,ctx)=>{" + "ctx.parallel([" * 15_000 + "])" * 15_000 + "}",
    "one long chain": "a" + ".b" * 130_000,
    "one long sum": "a" + "+b" * 60_000,
    "templates in templates": "`${" * 60_000 + "}`" * 60_000,
    "unknown names": ";".join(f"abc{number}" for number in range(25_000)),
    "refused names": "Date;" * 50_000,
    "wrong names on one line": "'" + "é" * 100_000 + "';" + "Date;" * 1000,
    "only semicolons": ";" * 100_000,
    "only errors": "a b\n" * 20_000,
    "only quotes": "'" * 60_000,
    "only NUL": "\0" * 262_144,
    "only half surrogates": "\ud800" * 80_000,
}


@pytest.mark.parametrize("name", STRANGE)
def test_no_source_is_too_deep_or_too_odd(name: str) -> None:
    started = time.thread_time()
    found = lint(STRANGE[name])
    # Each takes a second or so of CPU; the bound is there for what is quadratic, not for a slow machine.
    assert time.thread_time() - started < 60
    assert len(found) < 1000


BROKEN = ("that never end", "for a value", "closing braces", "miss their end", "patterns and")


@pytest.mark.parametrize("name", [name for name in STRANGE if any(word in name for word in BROKEN)])
def test_a_source_that_the_parser_gives_up_has_an_error(name: str) -> None:
    assert [found for found in lint(STRANGE[name]) if found.severity == "error"]


def test_a_hundred_findings_of_a_rule_are_enough() -> None:
    assert sum(found.rule == "no-clock" for found in lint("Date;" * 500 + "export default () => 1")) == 100


def test_lint_imports_nothing_of_ours_and_no_django() -> None:
    package = Path(runs.lint.__file__).parent
    allowed = {
        "ast",
        "bisect",
        "collections",
        "dataclasses",
        "difflib",
        "itertools",
        "re",
        "time",
        "tree_sitter",
        "typing",
        "unicodedata",
    }
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name.split(".")[0] for alias in node.names} <= allowed | {"tree_sitter_javascript"}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module is not None
                assert node.module.split(".")[0] in allowed or node.module.startswith("runs.lint")
