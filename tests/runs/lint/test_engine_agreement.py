"""Lint against the engine that will run the script: the same sources must be broken for both.

The host compiles each script too and tells what the engine says, so what only the engine sees is late, not lost. What
only lint refuses is a false alarm or a laxness of the engine: that list must stay as short as it is.
"""

import pytest
import quickjs

from runs.lint import lint

# The engine parses a whole module before it looks for what that imports: nothing of the script is run.
UNRESOLVABLE = 'import "nowhere";'
MAIN = "\nexport default () => 1;\n"

BROKEN = [
    "const x = ;",
    "a b c",
    "foo(;",
    "if (a {\n}",
    "f(1, {a:1, b:2);",
    "function f(){\n const a = 1\n",
    "let s = 'abc\nlet t = 1",
    "f(a b)",
    "x = `abc ${a",
    "}",
    "class A { x() {",
    "x = (1",
    "const a = 1 const b = 2",
    "enum X {}",
    "for (let i = 0; i < 3, i++) {}",
    "const {a b} = c",
    "async x => {",
    "let x: number = 1",
    "interface A { b: string }",
    "if (x) { y() } else else",
    "x = [1, 2",
    "'\\u{zz}'",
    "var 1a",
    "switch (x) { case 1 2 }",
    "new.foo",
    "x y",
    "1 = 2",
    "a => { => }",
    "class A { # }",
    "({ a: })",
    "return 1",
    "break",
    "continue",
    "function f() { await 1 }",
    "async function f() { function g() { await 1 } }",
    "class A { x = await 1 }",
    "class A { static { await 1 } }",
    "function f() { for await (const x of []); }",
    "function f() { if (1) { break } }",
    "let a; let a",
    "const a = 1; function a() {}",
    "var a; function a() {}",
    "function f() {} function f() {}",
    "class A {} let A",
    "{ let a; const a = 1 }",
    "{ function a() {} function a() {} }",
    "function f(a) { let a }",
    "(a, a) => 1",
    "function f(a, [a]) {}",
    "switch (1) { case 1: let a; case 2: let a }",
    "with (a) {}",
    "let a; delete a",
    "a = 010",
    "a = 09",
    "'\\08'",
    "'\\1'",
    "a?.b = 1",
    "try { }",
    "const x",
    "let [a];",
    "function () {}",
    "x = <a/>",
    "x = <a>b</a>",
    "@d class A {}",
    "if (1) { export default 1 }",
    "export default 1",
    "let let = 1",
    "x = {a: 1,, b: 2}",
    "const {, a} = {}",
    "f(1,, 2)",
    "const f = (await) => 1",
    "x = await.b",
    "export = 1",
    "const a = \U0001f600",
]

FINE = [
    "function g() { function a() {} function a() {} var a }",
    "function g(a) { var a; function a() {} }",
    "var a; var a",
    "for (let i;;) { let i; break }",
    "(function a() { let a })",
    "switch (1) { case 1: break }",
    "lab: { break lab }",
    "const g = async () => { for await (const x of []); }",
    "const { a } = {}, [b] = []",
    "for (const x of []); for (const [y] in {});",
    "(function () {})()",
    "(class {})",
    "0; 0.5; 0n; 0x10; '\\0'",
    "delete ({}).x",
    "for (const async of []);",
    "if (1) {} else if (2) {} else {}",
    "do ; while (0) 1",
    "var ünïcode, 变量, 𠮷, $, _",
    "a\u00a0= 1; var a",
    "import.meta",
    "await 1",
    "const a = { let: 1, await: 2, static: 3 }; a.let.await",
    "const a = [, 1, , 2], { b, } = {}, c = { b, }",
    "const main = 1\ufeff\nmain",
]

# The first two are valid, but the grammar does not read them. The others are not, but this engine lets them pass.
ONLY_LINT_REFUSES = [
    "let using; using = 5",
    "String.raw`\\u`",
    "function f() => 1",
    "const {'d-e', d} = {}",
    "function f({ a }) { const a = 1 }",
]

# Broken, but only the engine tells.
ONLY_THE_ENGINE_REFUSES = [
    "/(/",
    "class A { #a; #a }",
    "a ?? b || c",
    "-1 ** 2",
    "try {} catch (e) { let e }",
    "if (1) let x",
    "throw\n1",
    "++a++",
    "'\\u{110000}'",
    "for (;;) { break nowhere }",
]


def _engine_refuses(source: str) -> bool:
    with pytest.raises(quickjs.JSException) as raised:
        quickjs.Context().module(UNRESOLVABLE + source)
    return "SyntaxError" in str(raised.value)


def _lint_refuses(source: str) -> bool:
    return any(found.rule in ("syntax-error", "no-with", "duplicate-default-export") for found in lint(source))


@pytest.mark.parametrize("body", BROKEN)
def test_what_the_engine_cannot_compile_is_an_error(body: str) -> None:
    assert _engine_refuses(body + MAIN)
    assert _lint_refuses(body + MAIN)


@pytest.mark.parametrize("body", FINE)
def test_what_the_engine_compiles_is_no_syntax_error(body: str) -> None:
    assert not _engine_refuses(body + MAIN)
    assert not _lint_refuses(body + MAIN)


@pytest.mark.parametrize("body", ONLY_LINT_REFUSES)
def test_known_false_alarms_are_these(body: str) -> None:
    assert not _engine_refuses(body + MAIN)
    assert _lint_refuses(body + MAIN)


@pytest.mark.parametrize("body", ONLY_THE_ENGINE_REFUSES)
def test_known_blind_spots_are_these(body: str) -> None:
    assert _engine_refuses(body + MAIN)
    assert not _lint_refuses(body + MAIN)


@pytest.mark.parametrize(
    "source",
    [
        "const x = ;",
        "let a = 1;\nlet b = 2;\nfoo(a, ;",
        "f(a b)",
        "const {a b} = c",
        "const a = 1 const b = 2",
        "switch (x) { case 1 2 }",
        "for (let i = 0; i < 3, i++) {}",
        "if (x) { y() } else else",
        "export default async function (i, c) {\n  await c.call('x', {a: 1, b: 2);\n  return 1;\n}\n",
        "}\nlet x = 1",
        "let a = 1;\n// ü\nlet b = = 2",
    ],
)
def test_the_first_finding_is_where_the_engine_stops(source: str) -> None:
    with pytest.raises(quickjs.JSException) as raised:
        quickjs.Context().module(source)
    found = lint(source)[0]
    assert str(raised.value).splitlines()[1].strip().startswith(f"at <input>:{found.line}:")


def test_every_global_of_the_engine_is_either_allowed_or_refused() -> None:
    names = quickjs.Context().eval("Object.getOwnPropertyNames(globalThis).join(' ')").split()
    source = "".join(f"typeof {name}; {name};\n" for name in names) + MAIN
    assert [found.message for found in lint(source) if found.rule == "unknown-name"] == []
    refused = {found.message.split("`")[1] for found in lint(source) if found.severity == "error"}
    assert refused == {
        "Atomics",
        "Date",
        "FinalizationRegistry",
        "Function",
        "SharedArrayBuffer",
        "WeakRef",
        "eval",
        "globalThis",
        "performance",
    }
