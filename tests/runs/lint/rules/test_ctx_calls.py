"""Promises that nobody awaits, and methods that ctx does not have."""

import pytest

from runs.lint import Finding, lint


def _main(body: str) -> list[Finding]:
    found = lint("export default async function (input, ctx) { " + body + " }")
    assert all(each.severity == "warning" for each in found)
    return found


@pytest.mark.parametrize(
    "method",
    "call delegate agent parallel parallelSettled step sleep waitForEvent continueAsNew now minutes".split(),  # noqa: SIM905
)
def test_a_call_that_nobody_awaits_is_a_warning(method: str) -> None:
    (found,) = _main(f"ctx.{method}(input)")
    assert found.rule == "unawaited-ctx-call"
    assert f"Write `await ctx.{method}(...)`" in found.message


@pytest.mark.parametrize(
    "body",
    [
        "(ctx.call('a'))",
        "input && ctx.call('a')",
        "input ?? ctx.call('a')",
        "input ? ctx.call('a') : 0",
        "ctx.call('a'), 1",
        "1, ctx.call('a')",
        "if (input) ctx.call('a')",
        "for (const x of input) ctx.call(x)",
        "ctx['call']('a')",
        "ctx?.call('a')",
        "input.forEach(x => ctx.call(x))",
        "const { call } = ctx; call('a')",
        "const { call: ask } = ctx; ask('a')",
        "const f = () => { ctx.call('a') }; f()",
    ],
)
def test_a_promise_may_be_dropped_in_many_ways(body: str) -> None:
    assert [found.rule for found in _main(body)] == ["unawaited-ctx-call"]


@pytest.mark.parametrize(
    "body",
    [
        "await ctx.call('a')",
        "return ctx.call('a')",
        "const a = ctx.call('a'); await a",
        "let a; a = ctx.call('a')",
        "await Promise.all([ctx.call('a'), ctx.sleep(1)])",
        "ctx.call('a').then(() => 1)",
        "ctx.call('a').catch(() => 1)",
        "void ctx.call('a')",
        "const f = () => ctx.call('a'); await f()",
        "const a = input.map(x => ctx.call(x)); await Promise.all(a)",
        "const o = { a: ctx.call('a') }; await o.a",
        "input || (await ctx.call('a'))",
        "for await (const x of [ctx.call('a')]);",
        "throw await ctx.call('a')",
        "ctx.log('info', 'a')",
        "ctx.plan({ steps: [] })",
        "ctx.progress({ fraction: 1 })",
        "console.log(1)",
        "const f = (ctx) => { ctx.log(1) }; f(ctx)",
        "{ const ctx = { call() {} }; ctx.call('a'); ctx.whatever() }",
        "ctx.input; ctx.runId",
    ],
)
def test_a_promise_that_someone_has_is_fine(body: str) -> None:
    assert _main(body) == []


@pytest.mark.parametrize(
    "source",
    [
        "export default async (input, c) => { c.sleep(1) }",
        "export default main; async function main(_, c) { c.sleep(1) }",
        "const main = async (_, c = {}) => { c.sleep(1) }; export default main",
        "export default async (input, { sleep }) => { sleep(1) }",
        "export default async (input, { sleep: rest }) => { rest(1) }",
        "async function helper(ctx) { ctx.sleep(1) } export default (i, c) => helper(c)",
        "class A { async m(a, ctx) { ctx.sleep(1) } } export default (i, c) => new A().m(i, c)",
        "const helper = async ctx => { ctx.sleep(1) }; export default (i, c) => helper(c)",
    ],
)
def test_ctx_is_known_under_any_name_and_in_helpers(source: str) -> None:
    assert [found.rule for found in lint(source)] == ["unawaited-ctx-call"]


def test_another_object_is_not_taken_for_ctx() -> None:
    assert lint("const other = { sleep() {} }; export default async (input, ctx) => { other.sleep(1) }") == []


@pytest.mark.parametrize(
    ("body", "near"),
    [
        ("await ctx.sleeep(1)", "`sleep`"),
        ("await ctx.waitForSignal({})", "`waitForEvent`"),
        ("await ctx.Call('a')", "`call`"),
        ("const { dellegate } = ctx; await dellegate({})", "`delegate`"),
        ("await ctx.paralel([])", "`parallel`"),
    ],
)
def test_a_method_that_ctx_lacks_is_a_warning_with_near_names(body: str, near: str) -> None:
    found = [each for each in _main(body) if each.rule == "unknown-ctx-method"]
    assert len(found) == 1
    assert near in found[0].message.split("It has:")[0]


def test_a_method_like_no_other_lists_what_there_is() -> None:
    (found,) = _main("await ctx.zzyzx()")
    assert "waitForEvent" in found.message
