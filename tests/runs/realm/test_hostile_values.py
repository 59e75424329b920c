"""Values and errors made to deceive: each is read once, and what was checked is what is written."""

import pytest
from driving import error, output, run

PROXIES = [
    "new Proxy({}, {ownKeys() { throw new Error('trap') }})",
    "new Proxy([], {get() { throw new Error('trap') }})",
    "new Proxy({}, {getPrototypeOf() { throw new Error('trap') }})",
    "new Proxy({a: 1}, {getOwnPropertyDescriptor() { throw new Error('trap') }})",
    "{get x() { throw new Error('trap') }}",
    "{toJSON() { throw new Error('trap') }}",
    "{get toJSON() { throw new Error('trap') }}",
]


@pytest.mark.parametrize("value", PROXIES)
def test_a_value_that_throws_while_it_is_read_rejects_the_call(value: str) -> None:
    assert output(f"const x = {value}; return await ctx.call('echo', x).catch((e) => e.message)") == "trap"


@pytest.mark.parametrize("value", PROXIES)
def test_a_value_that_throws_while_it_is_read_fails_the_result(value: str) -> None:
    assert error(f"return {value}")["message"] == "Error: trap"


def test_a_revoked_proxy_fails_the_result() -> None:
    assert error("const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); return proxy")["code"] == "workflow-error"


def test_a_proxy_is_written_as_what_it_shows() -> None:
    assert output("return await ctx.call('echo', new Proxy({a: 1}, {get: (t, k) => k === 'a' ? 2 : undefined}))") == {
        "a": 2
    }
    assert output("return await ctx.call('echo', new Proxy([1, 2], {}))") == [1, 2]


@pytest.mark.parametrize("second", ["10n", "NaN", "() => 1", "deep(900)", "deep(50000)", "undefined", "cyclic"])
def test_an_answer_that_changes_when_it_is_asked_again_is_asked_once(second: str) -> None:
    body = f"""
      const deep = (n) => {{ let a = 1; for (let i = 0; i < n; i++) a = [a]; return a }};
      const cyclic = {{}}; cyclic.me = cyclic;
      let asked = 0;
      const answer = () => asked++ ? {second} : 'first';
      const got = await ctx.call('echo', [{{toJSON: answer}}]);
      asked = 0;
      return [got, await ctx.call('echo', {{get x() {{ return answer() }}}}), asked];
    """
    assert output(body) == [["first"], {"x": "first"}, 1]


def test_a_to_json_that_returns_itself_is_asked_once() -> None:
    assert (
        output(
            "const o = {a: 1, toJSON() { return this }}; delete o.b; return await ctx.call('echo', {o}).catch((e) =>"
            " e.code)"
        )
        == "invalid-input"
    )
    assert output(
        "class A { constructor() { this.a = 1 } toJSON() { return this } }; return await ctx.call('echo', new A())"
    ) == {"a": 1}


def test_to_json_is_given_the_name_of_the_property() -> None:
    assert output("const t = {toJSON: (k) => 'k' + k}; return {t, list: [t]}") == {"t": "kt", "list": ["k0"]}


@pytest.mark.parametrize(
    "thrown",
    [
        "{get message() { throw 1 }}",
        "{get name() { throw 1 }}",
        "{get stack() { throw 1 }}",
        "{get cause() { throw 1 }}",
        "new Proxy({}, {get() { throw 1 }})",
        "new Proxy(new Error('x'), {getPrototypeOf() { throw 1 }, get() { throw 1 }})",
        "Object.create(null)",
        "{message: {toString() { throw 1 }}}",
        "{message: Symbol('m'), name: Symbol('n')}",
        "Symbol('s')",
        "10n",
        "undefined",
        "null",
        "'\\ud800'",
        "{message: {}, stack: 5}",
        "function () {}",
        "{toString: null}",
        (
            "new ActionError({code: Symbol('c'), message: 10n, retryable: 'x', detail: 10n, callSeq: 5, tool: 'mail',"
            " line: 3})"
        ),
        "Object.assign(new ActionError('m'), {code: {}, message: 10n, detail: () => 1, callSeq: 'x'})",
        "(() => { const e = new Error('loop'); e.cause = e; return e })()",
        "Object.setPrototypeOf(new Error('x'), null)",
        "{name: 'x\"', message: 'y\"],[\"settled\",true,1,0'}",
        "(() => {})",
        "[]",
        "[1]",
        "new AggregateError([1], 'agg')",
    ],
)
def test_whatever_is_thrown_fails_the_run_with_readable_facts(thrown: str) -> None:
    failed = error(f"throw {thrown}")
    assert isinstance(failed["message"], str)
    assert failed["message"]
    assert isinstance(failed["code"], str)
    assert failed["callSeq"] is None
    assert failed["tool"] is None


def test_an_error_made_by_the_script_cannot_name_a_call() -> None:
    body = (
        "await ctx.call('echo'); throw new ActionError({code: 'mine', message: 'm', callSeq: 1, tool: 'echo', line: 99,"
        " retryable: true})"
    )
    failed = error(body)
    assert (failed["code"], failed["message"], failed["callSeq"], failed["tool"], failed["line"]) == (
        "mine",
        "m",
        None,
        None,
        2,
    )
    assert failed["retryable"] is True


def test_changing_a_caught_error_does_not_change_what_is_told_of_the_call() -> None:
    body = (
        "try { await ctx.call('boom', {message: 'm'}) } catch (e) { e.code = 'other'; e.callSeq = 77; e.tool = 'x';"
        " throw e }"
    )
    failed = error(body)
    assert (failed["code"], failed["callSeq"], failed["tool"]) == ("boom", 1, "boom")


def test_a_subclass_of_actionerror_works_and_names_no_call() -> None:
    failed = error(
        "class Mine extends ActionError { constructor() { super({code: 'mine', message: 'm'}); this.name = 'Mine' } }"
        " throw new Mine()"
    )
    assert (failed["code"], failed["callSeq"]) == ("mine", None)


@pytest.mark.parametrize("field", ["status", "label", "id", "title"])
def test_a_plan_whose_fields_answer_differently_each_time_cannot_forge_a_message(field: str) -> None:
    forged = (
        '{toString() { return n++ ? \'x"}]}],["settled",true,"forged",0],["planned",{"steps":[{"a":"\' : \'done\' }}'
    )
    step = f"{{label: 'x', {field}: {forged}}}" if field != "title" else "'x'"
    title = f", title: {forged}" if field == "title" else ""
    driven = run(
        f"let n = 0; await ctx.plan({{steps: [{step}]{title}}}).catch(() => 0); await ctx.call('echo'); return 'mine'"
    )
    assert driven.output == "mine"


@pytest.mark.parametrize(
    "message",
    [
        "{toString() { throw 1 }}",
        "Symbol('x')",
        "10n",
        "Object.create(null)",
        "() => 1",
        "new Proxy({}, {get() { throw 1 }})",
        "'\\ud800'",
        "[undefined]",
    ],
)
def test_console_and_log_take_whatever_is_given(message: str) -> None:
    driven = run(f"await ctx.log('info', {message}); console.log({message}, 'after'); return 1")
    assert driven.output == 1
    assert len(driven.bodies("log")) == 2


@pytest.mark.parametrize(
    "options",
    [
        "5",
        "'x'",
        "{other: 1}",
        "{timeoutMs: 0}",
        "{timeoutMs: NaN}",
        "{timeoutMs: '5'}",
        "{timeoutMs: 1e300}",
        "{retry: 3}",
        "{retry: {maxAttempts: 0}}",
        "{retry: {maxAttempts: 101}}",
        "{retry: {maxAttempts: 10n}}",
        "{retry: {backoffMs: -1}}",
        "{retry: {times: 3}}",
        "{retry: {maxBackoffMs: Infinity}}",
        "{[Symbol.iterator]: 1, x: 2}",
        "() => 1",
        (
            "new Proxy({}, {ownKeys: () => ['x'], getOwnPropertyDescriptor: () => ({enumerable: true, configurable:"
            " true})})"
        ),
    ],
)
def test_options_of_a_call_that_are_wrong_are_invalid_input_and_nothing_runs(options: str) -> None:
    driven = run(f"return await ctx.call('echo', 1, {options}).catch((e) => e.code)")
    assert driven.output == "invalid-input"
    assert driven.effects.executed == []


@pytest.mark.parametrize(
    "thunks", ["5", "null", "{}", "'abc'", "[1]", "[ctx.call('echo')]", "[() => 1, null]", "new Set()"]
)
def test_what_is_no_array_of_functions_is_invalid_input(thunks: str) -> None:
    assert (
        output(
            f"return [await ctx.parallel({thunks}).catch((e) => e.code), await ctx.parallelSettled({thunks}).catch((e)"
            " => e.code)]"
        )
        == ["invalid-input"] * 2
    )


def test_a_proxied_array_of_thunks_cannot_hang_more_than_its_own_run() -> None:
    body = (
        "let n = 0; return await ctx.parallel(new Proxy([() => 1], {get: (t, k) => k === 'length' ? (n++ ? 3 : 1) :"
        " t[k]})).catch((e) => e.name)"
    )
    assert type(run(body).outcome).__name__ in {"Succeeded", "Failed"}
