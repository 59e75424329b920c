"""A syntax error is told at the token that fits nothing, with what would have fitted."""

import pytest

from runs.lint import lint


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("const x = ;", 1, 11, "Unexpected `;`: expected an expression."),
        ("let a\nlet b = a a", 2, 11, "Unexpected `a`: expected `;` or a new line before it."),
        ("f(a b)", 1, 5, "Unexpected `b`: expected `,` or `)`."),
        ("const [a b] = c", 1, 10, "Unexpected `b`: expected `,` or `]`."),
        ("const {a b} = c", 1, 10, "Unexpected `b`: expected `,` or `}`."),
        ("if (a {\n}", 1, 7, "Unexpected `{`: expected `,` or `)`."),
        ("var 1a", 1, 5, "Unexpected `1`: expected a name."),
        ("}\nf()", 1, 1, "Unexpected `}`: expected a statement."),
        ("f(\n  g(1)", 2, 7, "The source ends before the `(` of line 1 is closed. Write the `)`."),
        ("function f() {\n  g()\n", 3, 1, "The source ends before the `{` of line 1 is closed. Write the `}`."),
        ("`a ${b", 1, 7, "The source ends before the `${` of line 1 is closed. Write the `}`."),
        ("x =", 1, 4, "The source ends too early: expected an expression."),
        ("let a = // ü\n /* b */ \ufeff;", 2, 11, "Unexpected `;`: expected an expression."),
    ],
)
def test_the_first_error_is_exact(source: str, line: int, column: int, message: str) -> None:
    found = lint(source)[0]
    assert (found.severity, found.rule) == ("error", "syntax-error")
    assert (found.line, found.column, found.message) == (line, column, message)


def test_an_open_string_is_told_on_its_own_line() -> None:
    found = lint("let s = 'abc\nlet t = 1")[0]
    assert (found.line, found.column) == (1, 13)
    assert "Close its quote" in found.message


@pytest.mark.parametrize("source", ["let x: number = 1", "const f = (x: any) => 1", "interface A { b: string }"])
def test_typescript_is_named_as_such(source: str) -> None:
    assert "plain JavaScript" in lint(source)[0].message


def test_each_broken_region_is_told_once() -> None:
    source = "function f() { g(a b) }\nfunction h() { return 1 }\nfunction k() { g(c d) }\n"
    found = [(each.line, each.rule) for each in lint(source)]
    assert found == [(1, "syntax-error"), (3, "syntax-error")]


def test_an_error_behind_much_valid_source_is_exact_too() -> None:
    filler = "function f(a, b) { return a + b * 3 }\n" * 5000
    found = lint(filler + "f(a b)\n")[0]
    assert (found.line, found.column) == (5001, 5)


def test_a_broken_source_is_not_searched_for_typos() -> None:
    assert {found.rule for found in lint("consle.log(1)\nf(a b)")} == {"syntax-error"}


@pytest.mark.parametrize(
    "source", ["\\", "@", "#", "#!", "'", "`", "/*", "/", "\u2028(", "\x85", "\ufffe", "(\ufeff", "é é"]
)
def test_odd_text_is_an_error_and_no_crash(source: str) -> None:
    assert lint(source)[0].severity == "error"
