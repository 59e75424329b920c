"""`await` and its like belong to the function or loop around them."""

import pytest

from runs.lint import lint

MAIN = "\nexport default () => 1"


@pytest.mark.parametrize(
    "body",
    [
        "await 1",
        "const a = await 1",
        "if (1) { await 1 }",
        "for await (const x of []);",
        "await using a = null",
        "`${await 1}`",
    ],
)
def test_await_at_the_top_level_is_refused(body: str) -> None:
    (found,) = lint(body + MAIN)
    assert (found.severity, found.rule) == ("error", "top-level-await")
    assert "Move it into the default function" in found.message


@pytest.mark.parametrize(
    ("body", "instead"),
    [
        ("function f() { await 1 }", "Write `async` before that function"),
        ("const f = () => await 1", "Write `async` before that function"),
        ("const f = async () => { [1].forEach(x => { await x }) }", "Write `async` before that function"),
        ("class A { m() { await 1 } }", "Write `async` before that function"),
        ("class A { static { await 1 } }", "async method"),
        ("class A { x = await 1 }", "async method"),
        ("function f() { yield 1 }", "function*"),
        ("return 1", "default function"),
        ("class A { static { return } }", "default function"),
        ("break", "return"),
        ("function f() { if (1) { break } }", "return"),
        ("for (;;) { (() => { break })() }", "return"),
        ("switch (1) { case 1: continue }", "return"),
    ],
)
def test_a_word_in_the_wrong_place_is_a_syntax_error(body: str, instead: str) -> None:
    (found,) = lint(body + MAIN)
    assert (found.severity, found.rule) == ("error", "syntax-error")
    assert instead in found.message


@pytest.mark.parametrize(
    "body",
    [
        "const f = async () => await 1",
        "const f = async function () { await 1; for await (const x of []); }",
        "class A { async m() { await 1 } static async *g() { yield await 1 } *h() { yield 1 } }",
        "({ async m() { await 1 }, *g() { yield } })",
        "function f() { return async () => { await 1 } }",
        "for (;;) { if (1) break; else continue }",
        "while (1) { switch (1) { case 1: continue } }",
        "class A { x = async () => await 1 }",
        "lab: { break lab }",
    ],
)
def test_a_word_in_its_place_is_fine(body: str) -> None:
    assert lint(body + MAIN) == []
