"""The error of a failed run: code, message, line, excerpt, tool and callSeq, wherever the throw came from."""

import re

import pytest
from driving import error, run, script

FIELDS = ["code", "message", "line", "excerpt", "stack", "tool", "callSeq", "retryable", "detail"]


def facts(body: str) -> tuple[object, ...]:
    failed = error(body)
    assert sorted(failed) == sorted(FIELDS)
    return failed["code"], failed["message"], failed["line"], failed["tool"], failed["callSeq"]


THROWS = {
    "at the top of main": ("\nthrow new TypeError('x')", ("workflow-error", "TypeError: x", 3, None, None)),
    "in a helper": ("const f = () => {\n throw new Error('x')\n};\nf()", ("workflow-error", "Error: x", 3, None, None)),
    "after an await": (
        "await ctx.call('echo');\nawait ctx.now();\nnull.x",
        ("workflow-error", "TypeError: cannot read property 'x' of null", 4, None, None),
    ),
    "in an async helper after an await": (
        "const f = async () => {\n await ctx.call('echo');\n throw new Error('x') };\nawait f()",
        ("workflow-error", "Error: x", 4, None, None),
    ),
    "in a parallel thunk": (
        "await ctx.parallel([\n () => 1,\n async () => { throw new Error('x') }])",
        ("workflow-error", "Error: x", 4, None, None),
    ),
    "in a parallel thunk, at once": (
        "await ctx.parallel([\n () => { throw new Error('x') }])",
        ("workflow-error", "Error: x", 3, None, None),
    ),
    "in a step": (
        "await ctx.step('s', () => {\n throw new Error('x') })",
        ("workflow-error", "Error: x", 3, None, None),
    ),
    "by a call, uncaught": ("await ctx.call('echo');\nawait ctx.call('boom')", ("boom", "it broke", 3, "boom", 2)),
    "by a call in a helper": ("const f = () =>\n ctx.call('boom');\nawait f()", ("boom", "it broke", 3, "boom", 1)),
    "by a call issued before and awaited later": (
        "const p = ctx.call('boom');\nawait ctx.call('echo');\nawait p",
        ("boom", "it broke", 2, "boom", 1),
    ),
    "by a call, rethrown": (
        "try { await ctx.call('boom') } catch (e) {\n throw e }",
        ("boom", "it broke", 2, "boom", 1),
    ),
    "with a call as its cause": (
        "try { await ctx.call('boom') } catch (e) {\n throw new Error('wrapped', {cause: e}) }",
        ("workflow-error", "Error: wrapped (caused by boom: it broke)", 3, "boom", 1),
    ),
    "with a call as the cause of its cause": (
        "try { await ctx.call('boom') } catch (e) {\n throw new Error('a', {cause: new Error('b', {cause: e})}) }",
        ("workflow-error", "Error: a (caused by boom: it broke)", 3, "boom", 1),
    ),
    "a string": ("throw 'text'", ("workflow-error", "the script threw text", 0, None, None)),
    "null": ("throw null", ("workflow-error", "the script threw null", 0, None, None)),
    "undefined": ("throw undefined", ("workflow-error", "the script threw undefined", 0, None, None)),
    "a number": ("throw 42", ("workflow-error", "the script threw 42", 0, None, None)),
    "an object": ("throw {a: 1}", ("workflow-error", 'the script threw {"a":1}', 0, None, None)),
    "an own error": (
        "throw new ActionError({code: 'no-stock', message: 'none left'})",
        ("no-stock", "none left", 2, None, None),
    ),
    "a sleep of nonsense": (
        "\nawait ctx.sleep(-1)",
        ("invalid-input", "ctx.sleep cannot sleep -1 ms; a duration is 0 or more", 3, None, None),
    ),
    "an aggregate": ("await Promise.any([Promise.reject(1)])", ("workflow-error", "AggregateError: ", 0, None, None)),
    "a name that is not there": (
        "\n\nnothere",
        ("workflow-error", "ReferenceError: nothere is not defined", 4, None, None),
    ),
    "in a getter": (
        "const o = {\n get x() { throw new Error('x') } };\no.x",
        ("workflow-error", "Error: x", 3, None, None),
    ),
    "in a class": (
        "class A {\n static m() { throw new Error('x') } }\nA.m()",
        ("workflow-error", "Error: x", 3, None, None),
    ),
    "in a sort": ("[2, 1].sort(() => {\n throw new Error('x') })", ("workflow-error", "Error: x", 3, None, None)),
}


@pytest.mark.parametrize("where", THROWS)
def test_a_throw_tells_code_message_line_and_call(where: str) -> None:
    body, expected = THROWS[where]
    code, message, line, tool, call_seq = facts(body)
    if where == "an aggregate":
        assert str(message).startswith("AggregateError: ")
        return
    assert (code, message, line, tool, call_seq) == expected


def test_the_excerpt_marks_the_line() -> None:
    assert error("const a = 1;\nthrow new Error('x');\nconst b = 2;")["excerpt"] == "\n".join(
        [
            "  1 | export default async function (input, ctx) {",
            "  2 | const a = 1;",
            "> 3 | throw new Error('x');",
            "  4 | const b = 2;",
            "  5 | }",
        ]
    )


def test_frames_read_workflow_js_and_none_is_of_the_engine() -> None:
    stack = error("const f = () => { throw new Error('x') };\nawait ctx.parallel([() => f()])")["stack"]
    frames = stack.splitlines()
    assert frames
    for frame in frames:
        assert re.fullmatch(r"    at (\S+ \()?workflow\.js:[1-3]:\d+\)?", frame)
    assert "fanOut" not in stack
    assert "follow" not in stack


def test_the_stack_that_a_script_reads_is_the_same() -> None:
    stack = run("try { null.x } catch (e) { return e.stack }").output
    assert re.fullmatch(r"    at default \(workflow\.js:2:\d+\)\n", stack)


def test_a_failure_keeps_its_detail_and_whether_it_is_retryable() -> None:
    failed = error("await ctx.call('boom', {detail: {a: [1]}, retryable: true})")
    assert (failed["detail"], failed["retryable"]) == ({"a": [1]}, True)


def test_a_very_long_message_is_cut_with_a_mark() -> None:
    failed = error("throw new Error('x'.repeat(100000))")
    assert failed["message"] == "Error: " + "x" * 8192 + "… (100000 characters)"


def test_lines_are_right_for_any_line_end_and_any_number_of_lines() -> None:
    from driving import drive

    assert drive("export default async function () {\r\n\r\nnull.x }").error["line"] == 3
    assert drive("\n" * 5000 + "export default async function () { null.x }").error["line"] == 5001


def test_a_deadlock_names_the_line_of_the_last_call() -> None:
    failed = error("await ctx.call('echo');\n\nawait new Promise(() => {})")
    assert (failed["code"], failed["line"]) == ("workflow-deadlock", 2)
    assert "the last ctx call was on line 2" in failed["message"]


def test_a_deadlock_without_any_call_is_told_without_a_line() -> None:
    failed = error("await new Promise(() => {})")
    assert (failed["code"], failed["line"]) == ("workflow-deadlock", 0)


def test_the_source_of_a_script_may_be_anything_that_parses() -> None:
    assert run("/* \u2028 \ufeff */ return 'ä\U0001f600'").output == "ä\U0001f600"
    assert script("x").startswith("export default")
