"""Values that cross the border: kept to the byte, or refused with their path and what to write instead."""

import json
import math
from typing import Any

import pytest
from driving import Tools, drive, output, replays_identically, run, script
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runs.host import Call, Completion
from runs.realm.protocol import messages

REFUSED = [
    ("10n", "", "is a BigInt; pass String(n) or Number(n)"),
    ("{a: [1, {b: 10n}]}", " at .a[1].b", "is a BigInt; pass String(n) or Number(n)"),
    ("Object(10n)", "", "is a BigInt; pass String(n) or Number(n)"),
    ("NaN", "", "is NaN, which JSON cannot carry"),
    ("{x: Infinity}", " at .x", "is Infinity, which JSON cannot carry"),
    ("[-Infinity]", " at [0]", "is -Infinity, which JSON cannot carry"),
    ("[Object(NaN)]", " at [0]", "is NaN, which JSON cannot carry"),
    ("[1, undefined]", " at [1]", "is undefined; use null"),
    ("[1, , 2]", " at [1]", "is undefined; use null"),
    ("() => 1", "", "is a function"),
    ("{f() {}}", " at .f", "is a function"),
    ("class {}", "", "is a function"),
    ("Symbol('s')", "", "is a symbol"),
    ("[Object(Symbol('s'))]", " at [0]", "is a symbol"),
    (
        "(() => { const o = {list: []}; o.list.push({o}); return o })()",
        " at .list[0].o",
        "is an object that contains itself",
    ),
    ("(() => { const a = []; a.push(a); return a })()", " at [0]", "is an object that contains itself"),
    ("new Map([[1, 2]])", "", "is a Map; pass Object.fromEntries(map)"),
    ("{s: new Set([1])}", " at .s", "is a Set; pass [...set]"),
    ("new WeakMap()", "", "is a WeakMap"),
    ("new Error('x')", "", "is an Error; pass its message"),
    ("{reason: new ActionError('x')}", " at .reason", "is an Error; pass its message"),
    ("/a/g", "", "is a RegExp; pass its source"),
    ("new Uint8Array(2)", "", "is a typed array; pass [...array]"),
    ("new TextEncoder().encode('x')", "", "is a typed array; pass [...array]"),
    ("new ArrayBuffer(2)", "", "is an ArrayBuffer; pass an array of numbers or text"),
    ("new DataView(new ArrayBuffer(2))", "", "is a DataView; pass an array of numbers or text"),
    ("{p: Promise.resolve(1)}", " at .p", "is a promise; await it first"),
    ("{p: ctx.now()}", " at .p", "is a promise; await it first"),
    ("(function* () {})()", "", "is a generator; pass [...generator]"),
    ("new Map().values()", "", "is an iterator; pass [...iterator]"),
    ("{toJSON: () => undefined}", "", "is undefined; use null"),
    ("{a: {toJSON: () => 5n}}", " at .a", "is a BigInt; pass String(n) or Number(n)"),
    (
        "(() => { let a = 1; for (let i = 0; i < 201; i++) a = [a]; return a })()",
        " at " + "[0]" * 66 + "[0… (600 characters)",
        "is nested deeper than 200 levels",
    ),
]


@pytest.mark.parametrize(("value", "path", "why"), REFUSED)
def test_a_value_that_json_would_change_is_refused_as_input_with_its_path(value: str, path: str, why: str) -> None:
    driven = run(f"return await ctx.call('echo', {value}).catch((e) => [e.name, e.code, e.message])")
    assert driven.output == ["ActionError", "invalid-input", f"the input of ctx.call('echo'){path} {why}"]
    assert driven.effects.executed == []


@pytest.mark.parametrize(("value", "path", "why"), REFUSED)
def test_a_value_that_json_would_change_is_refused_as_result_with_its_path(value: str, path: str, why: str) -> None:
    error = run(f"return {value}").error
    assert (error["code"], error["message"]) == ("invalid-input", f"the result{path} {why}")


KEPT = [
    ("undefined", None),
    ("null", None),
    ("{a: undefined, b: 1}", {"b": 1}),
    ("-0", 0),
    ("2 ** 53 - 1", 2**53 - 1),
    ("-(2 ** 53)", -(2**53)),
    ("1e21", 1e21),
    ("1e308", 1e308),
    ("5e-324", 5e-324),
    ("0.1 + 0.2", 0.1 + 0.2),
    ("'\\0'", "\0"),
    ("'\\ud800x\\udc00'", "\ud800x\udc00"),
    ("'\\u{1f600}\\ufeff\\u2028'", "\U0001f600\ufeff\u2028"),
    ("Object(5)", 5),
    ("Object('s')", "s"),
    ("Object(false)", False),
    (
        "{['__proto__']: {x: 1}, constructor: 2, toJSON: 3, '': 4, hasOwnProperty: 5, then: 6}",
        {"__proto__": {"x": 1}, "constructor": 2, "toJSON": 3, "": 4, "hasOwnProperty": 5, "then": 6},
    ),
    ("Object.create(null)", {}),
    ("Object.assign(Object.create(null), {a: 1})", {"a": 1}),
    ("new (class A { b = 1; #c = 2 })()", {"b": 1}),
    ("ctx.minutes(2)", 120000),
    ("[ctx.seconds(1), {h: ctx.hours(1)}]", [1000, {"h": 3600000}]),
    ("{[Symbol('s')]: 1, a: 2}", {"a": 2}),
    ("Object.defineProperty({a: 1}, 'hidden', {value: 2})", {"a": 1}),
    ("[[], {}, [[]]]", [[], {}, [[]]]),
    ("Object.freeze({a: Object.freeze([1])})", {"a": [1]}),
]


@pytest.mark.parametrize(("value", "expected"), KEPT)
def test_a_kept_value_reaches_the_tool_and_comes_back(value: str, expected: Any) -> None:
    body = f"const x = {value}; const back = await ctx.call('echo', x); return {{back}}"
    tools = Tools()
    driven = run(body, tool=tools)
    assert json.dumps(tools.seen[0].input) == json.dumps(expected)
    assert json.dumps(driven.output) == json.dumps({"back": expected})
    replays_identically(script(body), driven)


def test_the_order_of_keys_is_that_of_javascript_live_and_replayed() -> None:
    assert list(output("return await ctx.call('echo', {b: 1, 10: 2, a: 3, 2: 4})")) == ["2", "10", "b", "a"]


def test_a_result_s_own_order_of_keys_reaches_the_script_the_same_way_twice() -> None:
    def tool(call: Call) -> Completion:
        return Completion(call.call_seq, call.attempt, True, {"z": 1, "10": 2, "a": {"y": 1, "1": 2, "__proto__": 3}})

    body = "return JSON.stringify(await ctx.call('odd'))"
    driven = run(body, tool=tool)
    assert driven.output == '{"10":2,"z":1,"a":{"1":2,"y":1,"__proto__":3}}'
    replays_identically(script(body), driven)


def test_negative_zero_from_a_tool_stays_negative_live_and_replayed() -> None:
    body = "const x = await ctx.call('zero'); return [1 / x.z, 1 / x.list[0]].map(String)"
    driven = run(body, tool=lambda call: Completion(call.call_seq, call.attempt, True, {"z": -0.0, "list": [-0.0]}))
    assert driven.output == ["-Infinity", "-Infinity"]
    replays_identically(script(body), driven)


def test_an_input_larger_than_the_limit_is_refused_with_its_size() -> None:
    driven = run("return await ctx.call('echo', 'x'.repeat(300000)).catch((e) => [e.code, e.message])")
    assert driven.output[0] == "invalid-input"
    assert "300002 characters of JSON; the limit is 262144" in driven.output[1]


@pytest.mark.parametrize("length", [600, 5_000, 70_000, 262_000])
def test_long_values_cross_whole(length: int) -> None:
    """Longer than what the engine keeps as one string: it hands out ropes from 512 characters on."""
    body = (
        f"let s = ''; while (s.length < {length}) s += 'ab' + s.length; console.log(s); return [await ctx.call('echo',"
        " s) === s, await ctx.call('echo', [s, 1])]"
    )
    if length > 200_000:
        body = f"let s = 'x'.repeat({length}); return [await ctx.call('echo', s) === s, [s]]"
    got = output(body)
    assert got[0] is True
    assert len(got[1][0]) >= length


json_text = st.text(st.characters(exclude_categories=[]), max_size=12)
json_keys = st.one_of(
    json_text,
    st.sampled_from(
        ["__proto__", "constructor", "toJSON", "", "1", "0", "-1", "4294967295", "then", "length", "x" * 700]
    ),
)
json_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**53) + 1, 2**53 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
        json_text,
        st.sampled_from(
            [
                -0.0,
                1e308,
                5e-324,
                2**53 - 1,
                "\0",
                "\ud800",
                "\udfff\ud800",
                "\U0010ffff",
                1e21,
                1e-7,
                123456789012345680000.0,
            ]
        ),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(json_keys, inner, max_size=5)),
    max_leaves=25,
)


def same(a: Any, b: Any) -> bool:
    """Equal as JavaScript sees it: 1 is 1.0, and the keys of an object are not ordered here."""
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None or isinstance(a, str):
        return type(a) is type(b) and a == b
    if isinstance(a, int | float):
        return isinstance(b, int | float) and float(a) == float(b)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return isinstance(b, dict) and a.keys() == b.keys() and all(same(item, b[key]) for key, item in a.items())


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=json_values)
def test_any_json_value_goes_in_through_a_tool_and_out_again_unchanged(value: Any) -> None:
    body = script(
        "const a = await ctx.call('echo', input); const b = await ctx.call('made'); return {a, b, input, text:"
        " JSON.stringify([a, b, input])}"
    )
    tools = Tools()

    def tool(call: Call) -> Completion:
        return Completion(call.call_seq, 1, True, value) if call.tool == "made" else tools(call)

    live = drive(body, input=value, tool=tool)
    got = live.output
    assert same(tools.seen[0].input, value)
    assert same(got["a"], value)
    assert same(got["b"], value)
    assert same(got["input"], value)
    replays_identically(body, live, input=value)


@pytest.mark.parametrize("depth", [1, 50, 199])
def test_deep_values_cross_whole(depth: int) -> None:
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    body = script("return await ctx.call('echo', input)")
    live = drive(body, input=value)
    assert live.output == value
    replays_identically(body, live, input=value)


def test_no_number_changes_between_python_and_the_realm() -> None:
    numbers = [
        0.1,
        1 / 3,
        1e22,
        1.7976931348623157e308,
        5e-324,
        2**53 - 1,
        -(2**53) + 1,
        123456789.123456789,
        math.pi,
        1e-7,
        1e21,
        4.35,
    ]
    assert output("return [input.map(String), input]", input=numbers)[1] == numbers


def test_a_script_of_children_is_told_once_and_named_by_its_number() -> None:
    scripts = ["known"]
    asked = messages(
        '["agent",1,false,2,{"script":0},null],["script","new"],["agent",2,false,2,{"script":1},null],', scripts
    )
    assert [message.spec for message in asked] == [{"script": "known"}, {"script": "new"}]
    assert scripts == ["known", "new"]


def test_messages_are_read_in_order() -> None:
    assert [type(message).__name__ for message in messages('["now",1,5],["log",2,"info","x",null],', [])] == [
        "Now",
        "Log",
    ]
    assert messages("", []) == []


def test_structured_clone_copies_json_values_and_refuses_the_rest() -> None:
    assert output(
        "const a = {b: [1]}; const c = structuredClone(a); c.b.push(2); return [a, c, structuredClone(undefined) ==="
        " undefined]"
    ) == [{"b": [1]}, {"b": [1, 2]}, True]
    assert output("try { structuredClone({m: new Map()}) } catch (e) { return [e.code, e.message] }") == [
        "invalid-input",
        "the value of structuredClone at .m is a Map; pass Object.fromEntries(map)",
    ]
