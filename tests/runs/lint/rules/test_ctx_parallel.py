"""`ctx.parallel` is given functions."""

import pytest

from runs.lint import Finding, lint


def _main(body: str) -> list[Finding]:
    return lint("export default async function (input, ctx) { " + body + " }")


@pytest.mark.parametrize(
    ("body", "instead"),
    [
        ("await ctx.parallel([ctx.call('a', 1)])", "() => ctx.call('a', 1)"),
        ("await ctx.parallelSettled([() => 1, (ctx.sleep(5))])", "() => (ctx.sleep(5))"),
        ("await ctx.parallel([await ctx.call('a')])", "() => ctx.call('a')"),
        ("await ctx.parallel([(async () => 1)()])", "() => "),
        ("await ctx.parallel(input.map(x => ctx.call(x)))", "item => () => ..."),
        ("await ctx.parallel(input.map(async x => { await ctx.call(x) }))", "item => () => ..."),
        ("const { parallel, call } = ctx; await parallel([call('a')])", "() => call('a')"),
    ],
)
def test_promises_in_place_of_functions_are_a_warning(body: str, instead: str) -> None:
    (found,) = _main(body)
    assert (found.severity, found.rule) == ("warning", "parallel-takes-functions")
    assert instead in found.message


@pytest.mark.parametrize(
    "body",
    [
        "await ctx.parallel([() => ctx.call('a'), async () => { await ctx.sleep(1) }])",
        "await ctx.parallel(input.map(x => () => ctx.call(x)))",
        "await ctx.parallel(input.map(x => async () => { await ctx.call(x) }))",
        "const make = x => () => x; await ctx.parallel([make(1), make(2)])",
        "const make = x => () => x; await ctx.parallel(input.map(make))",
        "const all = [() => 1]; await ctx.parallel([...all, input.f])",
        "await Promise.all([ctx.call('a')])",
        "await ctx.parallel(input.map(x => { return () => ctx.call(x) }))",
    ],
)
def test_functions_are_fine(body: str) -> None:
    assert _main(body) == []


def test_one_finding_for_each_promise() -> None:
    assert len(_main("await ctx.parallel([ctx.now(), () => ctx.now(), ctx.now()])")) == 2
