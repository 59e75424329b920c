"""A name means the global only where nothing around it declares it; `Date` stands for any refused name here."""

import pytest

from runs.lint import lint

SHADOWED = [
    "const Date = 1; Date",
    "Date; var Date",
    "Date(); function Date() {}",
    "class Date {} new Date()",
    "function f(Date) { return Date }",
    "function f(...Date) { return Date }",
    "function f({ Date }) { return Date }",
    "function f({ a: { b: [Date] } }) { return Date }",
    "function f({ Date = 1 }) { return Date }",
    "function f(Date, b = Date) { return b }",
    "const g = Date => Date",
    "const g = async Date => Date",
    "const g = (a, Date) => { { return () => Date } }",
    "const g = function Date() { return Date }",
    "const C = class Date { m() { return Date } }",
    "try { f() } catch (Date) { Date }; function f() {}",
    "try { f() } catch ({ Date }) { Date }; function f() {}",
    "for (const Date of []) Date",
    "for (let Date = 0; Date < 1; Date++) Date",
    "for (const [Date] of []) { Date }",
    "for (var Date in {}); Date",
    "function f() { if (1) { var Date = 1 } return Date }",
    "function f() { return Date; var Date }",
    "{ let Date; { Date } }",
    "switch (1) { case 1: let Date = 1; case 2: Date }",
    "const { x: Date } = {}; Date",
    "const [, ...Date] = []; Date",
    "class A { static { var Date = 1; Date } }",
    "({ m(Date) { return Date } })",
    "({ set x(Date) { Date } })",
    "using Date = null; Date",
    "function f() { var Date; return class { x = Date } }",
    "function* g(Date) { yield Date }",
]

NOT_SHADOWED = [
    "Date",
    "{ let Date } Date",
    "function f(Date) {} Date",
    "function f() { var Date } Date",
    "const g = function Date() {}; Date",
    "const C = class Date {}; Date",
    "for (const Date of []); Date",
    "try {} catch (Date) {} Date",
    "class A { static { var Date } } Date",
    "if (1) { function Date() {} } Date",
    "({ [Date](Date) {} })",
    "function f(a = Date) {}",
    "const { a = Date } = {}",
    "const { [Date]: a } = {}",
    "let a; ({ a = Date } = {})",
    "({ Date } = {})",
    "[Date] = []",
    "Date = 1",
    "for (Date of []);",
    "({ Date })",
    "`${Date}`",
    "class A extends Date {}",
    "class A { [Date] = 1 }",
    "class A { x = Date }",
    "typeof Date",
    "label: Date",
    "\\u0044ate",
    "\\u{44}ate",
]

NOT_A_VARIABLE = [
    "const s = 'Date'",
    'const s = "new Date()"',
    "const s = `Date ${1} Date`",
    "// Date\n/* Date */",
    "const r = /Date/",
    "const o = {}; o.Date; o?.Date; o['Date']",
    "const o = { Date: 1 }",
    "const o = { Date() {} }",
    "const o = { get Date() { return 1 } }",
    "const o = { 'Date': 1 }",
    "class A { Date = 1; static Date() {}; #Date = 2 }",
    "Date: for (;;) break Date",
    "const { Date: d } = {}",
    "let d; ({ Date: d } = {})",
]


def _refused(body: str) -> int:
    source = body + "\nexport default function () {}"
    return sum(found.rule == "no-clock" for found in lint(source))


@pytest.mark.parametrize("body", SHADOWED)
def test_a_name_of_ones_own_is_fine(body: str) -> None:
    assert _refused(body) == 0
    assert [found for found in lint(body + "\nexport default function () {}") if found.rule == "syntax-error"] == []


@pytest.mark.parametrize("body", NOT_SHADOWED)
def test_a_name_from_nowhere_is_the_global(body: str) -> None:
    assert _refused(body) == 1


@pytest.mark.parametrize("body", NOT_A_VARIABLE)
def test_the_word_alone_is_fine(body: str) -> None:
    assert _refused(body) == 0


def test_arguments_belongs_to_functions_but_not_to_arrows() -> None:
    assert lint("export default function () { return (() => arguments.length)() }") == []
    assert [found.rule for found in lint("export default () => arguments")] == ["unknown-name"]
