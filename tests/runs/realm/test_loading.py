"""Sources that do not load, or whose top level misbehaves: a failure of that run, with its line where there is one."""

import pytest
from driving import drive

MAIN = "\nexport default async function () { return 1 }"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("export default async function () {\n return ] }", 2),
        ("let a;\n\nlet a;" + MAIN, 3),
        ("export default async function () { return 'a\0b' }", 1),
        ("\nexport default async function () { return '\ud800' }", 2),
    ],
)
def test_a_source_that_does_not_parse_is_a_lint_failure_with_its_line(source: str, line: int) -> None:
    error = drive(source).error
    assert (error["code"], error["line"]) == ("lint", line)
    assert error["excerpt"].splitlines()[-1 if line > 1 else 0].startswith(">") or f"> {line} |" in error["excerpt"]


def test_a_source_without_a_default_export_is_a_lint_failure() -> None:
    error = drive("const x = 1").error
    assert error["code"] == "lint"
    assert "default" in error["message"]


@pytest.mark.parametrize("value", ["1", "null", "{}", "'x'"])
def test_a_default_export_that_is_no_function_is_said_so(value: str) -> None:
    error = drive(f"export default {value}").error
    assert error["code"] == "workflow-error"
    assert "the default export is not a function" in error["message"]


def test_a_top_level_that_throws_fails_the_run_at_its_line() -> None:
    error = drive("\nthrow new Error('top')" + MAIN).error
    assert (error["code"], error["message"], error["line"]) == ("workflow-error", "Error: top", 2)


def test_a_top_level_await_that_ends_is_waited_for() -> None:
    assert (
        drive("await null; const x = await Promise.resolve(4);\nexport default async function () { return x }").output
        == 4
    )


def test_a_top_level_await_that_never_ends_is_said_so() -> None:
    error = drive("await new Promise(() => {})" + MAIN).error
    assert "the top level of the script never finished" in error["message"]


def test_an_endless_loop_at_the_top_level_is_fuel_exhausted() -> None:
    from driving import small

    assert drive("for (;;);" + MAIN, limits=small()).error["code"] == "fuel-exhausted"


@pytest.mark.parametrize(("start", "end"), [("(", ")"), ("[", "]"), ("-", ""), ("function f() {", "}"), ("`${", "}`")])
def test_source_nested_too_deeply_for_the_parser_is_a_failure_of_that_run(start: str, end: str) -> None:
    source = "export default async function () { return " + start * 15_000 + "1" + end * 15_000 + "}"
    assert drive(source).error["code"] in {"stack-overflow", "lint"}


def test_a_plain_function_works_as_main() -> None:
    assert drive("export default (input, ctx) => ctx.call('echo', input)", input=[1]).output == [1]


def test_a_microtask_that_throws_fails_the_run() -> None:
    error = drive(
        "export default async function (i, ctx) {\n queueMicrotask(() => { throw new Error('loose') });\n return await"
        " ctx.call('echo') }"
    ).error
    assert error["code"] == "workflow-error"
    assert "loose" in error["message"]
    assert error["line"] == 2
