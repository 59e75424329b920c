"""What the parser reads and no engine compiles."""

import pytest

from runs.lint import lint

MAIN = "\nexport default () => 1"


@pytest.mark.parametrize(
    ("body", "instead"),
    [
        ("const a = 1;\nlet a = 2", "already declared on line 1"),
        ("function f(a, a) {}", "Rename one"),
        ("let a; delete a", "Assign `undefined`"),
        ("const a = 017", "`0o17`"),
        ("const a = '\\101'", "`\\x41`"),
        ("const a = {}; a?.b = 1", "Test the object first"),
        ("try { }", "`catch` or a `finally`"),
        ("function () {}", "needs a name"),
        ("const a", "Write `= ...`"),
        ("let { a }", "Write `= ...`"),
        ("const a = <b>c</b>", "JSX is not JavaScript"),
        ("@a class A {} function a() {}", "Decorators"),
        ("const class1 = 1, let = 2", "cannot be a name"),
        ("const a\U0001f600 = 1", "cannot be a name"),
        ("const a = {, b: 1 }", "Remove the comma"),
        ("<!-- a", "Write `//`"),
    ],
)
def test_it_is_a_syntax_error_with_a_way_out(body: str, instead: str) -> None:
    found = [each for each in lint(body + MAIN) if each.severity == "error"]
    assert [each.rule for each in found] == ["syntax-error"]
    assert instead in found[0].message


def test_with_is_refused_by_name() -> None:
    (found,) = lint("with (Math) { max(1, 2) }" + MAIN)[:1]
    assert (found.severity, found.rule) == ("error", "no-with")
