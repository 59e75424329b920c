"""Each global that the realm lacks is refused by name, and its message says what to write instead."""

import pytest

from runs.lint import Finding, lint

MAIN = "\nexport default () => 1"

REPLACEMENTS = [
    ("Date.now()", "no-clock", "await ctx.now()"),
    ("new Date", "no-clock", "await ctx.now()"),
    ("performance.now()", "no-clock", "await ctx.now()"),
    ("Temporal.Now", "no-clock", "await ctx.now()"),
    ("crypto.randomUUID()", "no-random", "as input or from a tool"),
    ("setTimeout(() => {}, 5)", "no-timer", "await ctx.sleep(ms)"),
    ("setInterval(() => {}, 5)", "no-timer", "await ctx.sleep(ms)"),
    ("setImmediate(() => {})", "no-timer", "await ctx.sleep(ms)"),
    ("clearTimeout(1)", "no-timer", "ctx.waitForEvent(match, {timeout})"),
    ("clearInterval(1)", "no-timer", "await ctx.sleep(ms)"),
    ("clearImmediate(1)", "no-timer", "await ctx.sleep(ms)"),
    ("fetch('x')", "no-network", "await ctx.call('http.request', {method, url})"),
    ("typeof fetch", "no-network", "await ctx.call('http.request'"),
    ("new XMLHttpRequest()", "no-network", "ctx.call"),
    ("new WebSocket('x')", "no-network", "ctx.call"),
    ("new WeakRef({})", "no-gc-observer", "WeakMap"),
    ("new FinalizationRegistry(f => f)", "no-gc-observer", "WeakMap"),
    ("Atomics.add()", "no-shared-memory", "ArrayBuffer"),
    ("new SharedArrayBuffer(1)", "no-shared-memory", "ArrayBuffer"),
    ("eval('1')", "no-eval", "Write the code itself"),
    ("(0, eval)('1')", "no-eval", "Write the code itself"),
    ("new Function('return 1')", "no-eval", "function expression"),
    ("Function.prototype", "no-eval", "typeof x === 'function'"),
    ("MAIN instanceof Function", "no-eval", "`instanceof Function` is not available"),
    ("globalThis.x", "no-global-object", "local variables"),
    ("window", "no-global-object", "local variables"),
    ("self", "no-global-object", "local variables"),
    ("global", "no-global-object", "local variables"),
    ("require('fs')", "no-require", "one module"),
    ("module.exports = 1", "no-require", "export default"),
    ("exports.a = 1", "no-require", "export default"),
    ("process.env", "no-process", "input"),
    ("Buffer.from('a')", "no-process", "TextEncoder"),
]


def _errors(body: str) -> list[Finding]:
    return [found for found in lint(body + MAIN) if found.severity == "error"]


@pytest.mark.parametrize(("body", "rule", "instead"), REPLACEMENTS)
def test_a_global_that_is_missing_teaches_its_replacement(body: str, rule: str, instead: str) -> None:
    (found,) = _errors(body)
    assert found.rule == rule
    assert instead in found.message


def test_the_finding_covers_just_the_name() -> None:
    (found,) = _errors("const later = new Date(5)")
    assert (found.line, found.column, found.end_column) == (1, 19, 23)


def test_every_use_is_told() -> None:
    assert len(_errors("Date; Date; fetch")) == 3


def test_a_broken_source_still_tells_of_refused_names() -> None:
    rules = {found.rule for found in lint("const t = Date.now();\nfoo(;\n")}
    assert rules == {"no-clock", "syntax-error"}


def test_a_name_whose_declaration_is_broken_is_not_accused() -> None:
    assert "no-process" not in {found.rule for found in lint("const process x = 1;\nprocess();\n")}
