"""The default export: there, once, a function."""

import pytest

from runs.lint import lint


@pytest.mark.parametrize("source", ["", " \n\t\r\n", "// nothing yet", "/* a */ ;;", "\ufeff", "#!/usr/bin/env x\n"])
def test_an_empty_source_is_told_how_to_begin(source: str) -> None:
    (found,) = lint(source)
    assert found.rule == "empty-source"
    assert "export default async function (input, ctx)" in found.message
    assert (found.line, found.column) == (1, 1)


@pytest.mark.parametrize("source", ["const a = 1", "async function go(input, ctx) {}", "'export default'"])
def test_a_missing_default_export_is_an_error(source: str) -> None:
    (found,) = lint(source)
    assert (found.severity, found.rule) == ("error", "missing-default-export")


def test_a_function_that_looks_like_the_main_one_is_named() -> None:
    (found,) = lint("async function main(input, ctx) {}")
    assert "`export default main`" in found.message


@pytest.mark.parametrize(
    ("exported", "what"),
    [
        ("1", "a plain value"),
        ("'a'", "a plain value"),
        ("`a`", "a plain value"),
        ("null", "a plain value"),
        ("undefined", "a plain value"),
        ("/a/", "a plain value"),
        ("{ run() {} }", "an object"),
        ("[() => 1]", "an array"),
        ("class {}", "a class"),
        ("class A {}", "a class"),
        ("(({}))", "an object"),
        ("function* () {}", "a generator"),
        ("async function* named() {}", "a generator"),
        ("a; const a = 1", "`a`, a plain value"),
        ("a; const a = { b: 1 }", "`a`, an object"),
        ("a; class a {}", "`a`, a class"),
        ("mian; const main = () => 1", "`mian`, which this script does not declare"),
    ],
)
def test_what_is_plainly_no_function_is_refused(exported: str, what: str) -> None:
    errors = [found for found in lint(f"export default {exported}") if found.severity == "error"]
    assert [found.rule for found in errors] == ["default-export-not-a-function"]
    assert what in errors[0].message


@pytest.mark.parametrize(
    "source",
    [
        "export default a; let a = 1; a = () => 1",
        "const o = { f() {} }; export default o.f",
        "const wrap = (f) => f; export default wrap(() => 1)",
        "export default 1 > 2 ? () => 1 : () => 2",
        "export default a; const a = function () {}",
        "export default a; var a = () => 1",
        "export default (async () => 1)",
    ],
)
def test_what_may_be_a_function_is_left_to_the_realm(source: str) -> None:
    assert lint(source) == []


def test_each_further_default_export_is_told() -> None:
    found = lint("export default () => 1\nexport default () => 2\nexport default function f() {}")
    assert [(each.rule, each.line) for each in found] == [
        ("duplicate-default-export", 2),
        ("duplicate-default-export", 3),
    ]


def test_a_broken_source_is_not_said_to_lack_its_export() -> None:
    assert {found.rule for found in lint("export default async function (input, ctx) {")} == {"syntax-error"}
