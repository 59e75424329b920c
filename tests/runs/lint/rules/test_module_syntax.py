"""One module, one export."""

import pytest

from runs.lint import lint

MAIN = "\nexport default () => 1"


@pytest.mark.parametrize(
    ("body", "rule", "instead"),
    [
        ("import fs from 'fs'", "no-import", "one module"),
        ("import { a, b as c } from 'x'; a(c)", "no-import", "one module"),
        ("import * as d from 'x'; d()", "no-import", "one module"),
        ("import 'x'", "no-import", "one module"),
        ("import j from 'x' with { type: 'json' }", "no-import", "one module"),
        ("import('x')", "no-import", "await ctx.call"),
        ("const f = async () => (await import('x')).default", "no-import", "`import()`"),
        ("import.meta.url", "no-import-meta", "`input` or `ctx`"),
        ("export const a = 1", "named-export", "Drop the `export` keyword"),
        ("export function f() {}", "named-export", "Drop the `export` keyword"),
        ("export class A {}", "named-export", "Drop the `export` keyword"),
        ("const a = 1; export { a }", "named-export", "Drop this list"),
        ("export * from 'x'", "named-export", "Copy the code"),
        ("export * as a from 'x'", "named-export", "Copy the code"),
        ("export { a } from 'x'", "named-export", "Copy the code"),
        ("{ export default 1 }", "syntax-error", "top level"),
    ],
)
def test_other_imports_and_exports_are_refused(body: str, rule: str, instead: str) -> None:
    (found,) = lint(body + MAIN)
    assert (found.severity, found.rule) == ("error", rule)
    assert instead in found.message


@pytest.mark.parametrize(
    "body", ["const o = {}; o.import; o.export", "const o = { import: 1, export: 2 }", "const s = 'import x from y'"]
)
def test_the_words_alone_are_fine(body: str) -> None:
    assert lint(body + MAIN) == []


def test_a_default_export_in_a_list_is_asked_for_in_the_usual_form() -> None:
    (found,) = lint("const main = () => 1; export { main as default }")
    assert found.rule == "named-export"
    assert "`export default name`" in found.message
