"""Parts of the prelude that are compiled at first use: a script that comes before them changes nothing of them."""

import pytest
from driving import error, output, replays_identically, run, script, small

from runs.realm.realm import _FOLDER, _code, _lazy_parts

# Each use of a lazy part, and what it gives; every expression is awaited.
USES = {
    "plan": ("await ctx.plan(['one', {label: 'two', status: 'done'}]) ?? 'planned'", "planned"),
    "step": ("await ctx.step('s', () => ctx.call('echo', 4))", 4),
    "parallel": ("(await ctx.parallel([() => ctx.call('echo', 1), async () => 2])).length", 2),
    "parallelSettled": ("(await ctx.parallelSettled([() => ctx.call('boom')]))[0].status", "rejected"),
    "options": (
        "await ctx.call('echo', 5, {description: 'd', timeoutMs: 9, retry: {maxAttempts: 2, backoffMs: 1}})",
        5,
    ),
    "an unknown option": ("await ctx.call('echo', 5, {other: 1}).catch((e) => e.code)", "invalid-input"),
    "failure": ("await ctx.call('boom').catch((e) => e.name + (e instanceof ActionError))", "ActionErrortrue"),
    "an error of the script": ("new ActionError({code: 'c', message: 'm'}).message", "m"),
    "refusal": ("await ctx.call('echo', {a: NaN}).catch((e) => e.message)", None),
    "a class": ("(await ctx.call('echo', new (class { a = 1 })())).a", 1),
    "log": ("await ctx.log('warn', 'text', {n: 1}) ?? 'logged'", "logged"),
    "console": ("console.log('a', 1, {}) ?? 'said'", "said"),
    "progress": ("ctx.progress({fraction: 0.5, label: 'half'}) ?? 'shown'", "shown"),
    "duration": ("ctx.minutes(2) + 0", 120000),
    "sleeping for a duration": ("await ctx.seconds(1) ?? 'slept'", "slept"),
    "a sleep that cannot be": ("await ctx.sleep(-1).catch((e) => e.code)", "invalid-input"),
    "encoder": ("new TextEncoder().encode('\u20ac').length", 3),
    "decoder": ("new TextDecoder().decode(new TextEncoder().encode('a\u20ac'))", "a\u20ac"),
    "decoder refuses": ("(() => { try { new TextDecoder('x') } catch (e) { return e.message } })()", None),
}  # fmt: skip

DECLARING = {
    "function_declaration",
    "class_declaration",
    "formal_parameters",
    "array_pattern",
    "rest_pattern",
    "pair_pattern",
}

# Every global that can be assigned, and what prototypes can be given, before any lazy part is made.
HOSTILE = """
  const Array_ = Array, Object_ = Object;
  const own = Object_.getOwnPropertyNames, define = Object_.defineProperty, names = {};
  for (const C of [Array, String, Map, Function_, Promise, Number, Boolean, RegExp, Set])
    for (const n of own(C.prototype)) if (n !== 'constructor' && n !== 'then' && n !== 'catch' && n !== 'length')
      try { C.prototype[n] = () => { throw 'patched ' + n } } catch {}
  for (const n of ['defineProperty', 'freeze', 'keys', 'getPrototypeOf', 'setPrototypeOf', 'create'])
    Object_[n] = () => { throw 'patched Object.' + n };
  for (const n of ['parse', 'stringify']) JSON[n] = () => { throw 'patched JSON' };
  Reflect.apply = Math.floor = Math.ceil = Array_.isArray = ArrayBuffer.isView = () => { throw 'patched' };
  String.fromCharCode = () => { throw 'patched' };
  for (const n of ['log', 'debug', 'label', 'n', 'id', 'status', 'tell', 'plan', 'get', 'set', 'make', 'failure'])
    define(Object_.prototype, n,
      {__proto__: null, get() { return undefined }, set() { throw 'setter' }, configurable: true});
"""
REASSIGNED = [
    "Array",
    "ArrayBuffer",
    "Boolean",
    "Error",
    "EvalError",
    "InternalError",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint8Array",
    "WeakMap",
    "isNaN",
    "parseInt",
]


@pytest.mark.parametrize("use", USES)
def test_globals_reassigned_before_the_first_use_change_nothing(use: str) -> None:
    expression, expected = USES[use]
    plain = output(f"return {expression}")
    assert expected is None or plain == expected
    reassigned = " = ".join(REASSIGNED) + " = function () { throw 'patched' }"
    assert output(f"{reassigned}; return {expression}") == plain


@pytest.mark.parametrize("use", USES)
def test_prototypes_patched_before_the_first_use_change_nothing(use: str) -> None:
    expression, _ = USES[use]
    hostile = HOSTILE.replace("Function_", "{prototype: Object.getPrototypeOf(() => 1)}")
    assert output(f"{hostile}; return {expression}") == output(f"return {expression}")


def test_a_lazy_part_names_nothing_but_its_kit() -> None:
    """No free identifier: whatever a part does not declare would be a global of the script by the time it runs."""
    import tree_sitter_javascript
    from tree_sitter import Language, Node, Parser

    parser = Parser(Language(tree_sitter_javascript.language()))

    def walk(node: Node, used: set[str], declared: set[str]) -> None:
        parent, text = node.parent, (node.text or b"").decode()
        if node.type == "shorthand_property_identifier_pattern":
            declared.add(text)
        elif node.type in {"identifier", "shorthand_property_identifier"} and parent is not None:
            declares = parent.type in DECLARING or (
                parent.type
                in {"variable_declarator", "arrow_function", "catch_clause", "for_in_statement", "assignment_pattern"}
                and node in {parent.child_by_field_name(name) for name in ("name", "parameter", "left")}
            )
            (declared if declares else used).add(text)
        for child in node.children:
            walk(child, used, declared)

    for name, source in zip(_lazy_parts()[::2], _lazy_parts()[1::2], strict=True):
        used: set[str] = set()
        declared: set[str] = {"undefined", "arguments"}
        walk(parser.parse(source.encode()).root_node, used, declared)
        assert not used - declared, name


def test_the_sources_can_be_stripped_by_the_line() -> None:
    for path in [*_FOLDER.glob("*.js"), *_FOLDER.glob("lazy/*.js")]:
        assert "`" not in _code(path)
        assert "/*" not in _code(path)
        assert _code(path).isascii()


def test_the_compiler_of_lazy_parts_is_out_of_reach() -> None:
    body = """
      const seen = [];
      const spy = (o, n) => { const f = o[n]; o[n] = function (...a) { seen.push(n, ...a); return f.apply(this, a) } };
      for (const n of ['parse', 'stringify']) spy(JSON, n);
      spy(Reflect, 'apply'); spy(Object, 'defineProperty'); spy(Object, 'freeze');
      await ctx.plan(['a']); new TextEncoder(); console.log(1); await ctx.parallel([]);
      return [seen.length, typeof eval, typeof evaluate, typeof sources, typeof part, typeof kit];
    """
    assert output(body) == [0, *["undefined"] * 5]


@pytest.mark.parametrize("name", ["console", "TextEncoder", "TextDecoder", "ActionError", "structuredClone"])
def test_a_lazy_global_is_a_constant_before_and_after_its_first_use(name: str) -> None:
    message = f"TypeError: '{name}' is read-only"
    assert error(f"{name} = 1")["message"] == message
    assert error(f"void {name}; {name} = 1")["message"] == message
    assert output(f"const a = {name}; try {{ {name} = 1 }} catch {{}}; return a === {name} && typeof {name}") in {
        "function", "object",
    }  # fmt: skip


CTX = (
    "input,runId,call,delegate,agent,parallel,parallelSettled,step,plan,sleep,waitForEvent,continueAsNew,now,log,"
    "progress,seconds,minutes,hours,days"
)


def test_what_a_script_sees_of_the_functions_is_as_if_they_were_not_lazy() -> None:
    body = """
      const shape = (f) => [f.name, f.length, typeof f.prototype];
      const functions = [ctx.plan, ctx.step, ctx.parallel, ctx.parallelSettled, ctx.log, ctx.progress, ctx.minutes,
        console.log, TextEncoder, TextDecoder, ActionError, structuredClone];
      return [...functions.map(shape), Object.keys(console).join(), Object.keys(ctx).join()];
    """
    assert output(body) == [
        ["plan", 1, "object"], ["step", 2, "object"], ["parallel", 1, "object"], ["parallelSettled", 1, "object"],
        ["log", 3, "object"], ["progress", 1, "object"], ["", 1, "undefined"], ["", 0, "object"],
        ["TextEncoder", 0, "object"], ["TextDecoder", 0, "object"], ["ActionError", 1, "object"],
        ["structuredClone", 1, "object"], "log,debug,info,warn,error",
        CTX,
    ]  # fmt: skip


def test_an_error_from_a_lazy_part_names_lines_of_the_script_only() -> None:
    body = "try { new TextDecoder('x') } catch (e) { return e.stack }"
    stack = output(body)
    assert stack.startswith("    at ")
    assert "workflow.js:2:" in stack
    assert all("workflow.js:2:" in line for line in stack.splitlines())
    failed = error("\nawait ctx.plan(5)")
    assert (failed["code"], failed["line"]) == ("invalid-input", 3)


DEADLOCK = "workflow-deadlock"  # with the last byte gone, the engine itself drops the reaction of a promise

DEEP = """
  let spent = 0, got = 'unused';
  const down = (left) => left === 0 ? use() : down(left - 1) + '';
  const depth = () => { let n = 0; const f = () => { n++; f() }; try { f() } catch {} return n };
  const full = depth();
"""


@pytest.mark.parametrize("use", ["new TextEncoder().encode('abc').length", "ctx.minutes(1) + 0", "typeof console",
    "new ActionError({code: 'c'}).code", "structuredClone(new (class { a = 1 })()).a"])  # fmt: skip
def test_a_first_use_with_little_stack_left_works_or_is_a_stack_overflow(use: str) -> None:
    right = output(f"return String({use})")
    body = (
        DEEP
        + f"""
      const use = () => String({use});
      const seen = new Set();
      for (let left = full; left > 0; left -= left > full * 0.9 ? 7 : 400) {{
        try {{ seen.add(down(left)) }} catch (e) {{ seen.add(e.name + ': ' + e.message) }}
      }}
      return [...seen, String({use})];
    """
    )
    seen = output(body)
    assert set(seen) <= {right, "RangeError: Maximum call stack size exceeded"}
    assert seen[0] != right
    assert seen[-1] == right


@pytest.mark.parametrize("use", ["ctx.plan(['a'])", "ctx.parallel([])", "ctx.step('s', () => 1)", "ctx.log('m')",
    "ctx.call('echo', 1, {timeoutMs: 5})", "ctx.sleep(-1)", "ctx.call('echo', NaN)"])  # fmt: skip
def test_a_recursion_without_end_through_a_first_use_fails_that_run_alone(use: str) -> None:
    body = f"const f = () => {{ try {{ f() }} catch (e) {{ {use}; throw e }} }}; f()"
    driven = run(body)
    # Where the stack ends in the making of a promise, the engine says "not a function": so too without lazy parts.
    assert driven.error["code"] in {"stack-overflow", "invalid-input", "workflow-error"}
    replays_identically(script(body), driven)
    assert run(f"await {use}.catch(() => 0); return 1").output == 1


LAST = [
    "await ctx.plan(['a'])", "await ctx.parallel([])", "new TextEncoder()", "console.log(1)", "await ctx.call('boom')",
    "throw new ActionError('mine')", "await ctx.call('echo', NaN)", "throw new Error('own')", "return NaN",
]  # fmt: skip


@pytest.mark.parametrize("use", LAST)
@pytest.mark.parametrize("size", [100_000, 1_000, 20])
def test_a_first_use_after_the_memory_is_exhausted_fails_that_run_alone(use: str, size: int) -> None:
    body = f"""
      const all = input.all = [];
      try {{ for (;;) all.push(new Array({size}).fill(0)) }} catch {{}}
      {use};
      return 'went on';
    """
    driven = run(body, input={}, limits=small(memory_bytes=8 * 1024 * 1024, fuel_ms=2_000))
    kind = type(driven.outcome).__name__
    assert kind in {"Succeeded", "Failed"}
    if kind == "Failed":
        assert driven.error["code"] in {"out-of-memory", "mine", "boom", "invalid-input", "workflow-error", DEADLOCK}
        if driven.error["code"] == "workflow-error":
            assert use in {"throw new Error('own')", "throw new ActionError('mine')"}
    assert run("return 1").output == 1
