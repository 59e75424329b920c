"""Scripts that meddle with the promises of ctx: none can settle a call, see another's state or take a result."""

import pytest
from driving import output, run


@pytest.mark.parametrize(
    "meddle",
    [
        "new p.constructor((ok) => ok('forged'))",
        "p.constructor.resolve('forged')",
        "try { p.then = () => 'forged' } catch {}",
        "Object.defineProperty(p, 'then', {value: (ok) => ok('forged')}) && 0",
        "Object.setPrototypeOf(p, Promise.prototype)",
        "try { p.constructor.prototype.then = 1 } catch {}",
        "class Mine extends p.constructor {}; new Mine((ok) => ok('forged'))",
        "try { p.constructor.prototype.then.call(Promise.resolve('forged'), () => {}) } catch {}",
        "try { p.constructor.prototype.then.call({}, () => {}) } catch {}",
        "try { p.constructor.of({}) } catch {}",
        "try { p.constructor.consume(p) } catch {}",
        "p.constructor.race([p, 'forged'])",
        "p.resolve = p.reject = 'forged'",
        "Object.freeze(p)",
        "Object.defineProperty(p, 'constructor', {value: null})",
        "Object.defineProperty(p, 'constructor', {value: class { constructor(f) { f(() => {}, () => {}) } }})",
    ],
)
def test_meddling_with_one_promise_leaves_the_other_calls_their_results(meddle: str) -> None:
    body = (
        f"const p = ctx.call('echo', 'one'), q = ctx.call('echo', 'two'); {meddle}; return [await q, await"
        " ctx.call('echo', 'three')]"
    )
    assert output(body) == ["two", "three"]


@pytest.mark.parametrize(
    "meddle",
    [
        "new p.constructor((ok) => ok('forged'))",
        "p.constructor.resolve('forged')",
        "Object.freeze(p)",
        "p.resolve = 'x'",
    ],
)
def test_a_call_is_settled_by_its_result_only(meddle: str) -> None:
    assert output(f"const p = ctx.call('echo', 'true'); {meddle}; return await p") == "true"


def test_a_promise_of_ctx_has_no_property_that_tells_or_settles_it() -> None:
    body = """
      const p = ctx.call('echo');
      const names = [...Reflect.ownKeys(p), ...Reflect.ownKeys(p.constructor),
        ...Reflect.ownKeys(p.constructor.prototype)];
      return names.map(String).sort();
    """
    assert output(body) == ["Symbol(Symbol.species)", "constructor", "length", "name", "prototype", "then"]


def test_a_call_of_one_branch_cannot_be_reached_from_another() -> None:
    body = """
      const seen = [];
      const spy = (f) => function (...rest) { seen.push(rest); return f.apply(this, rest) };
      Map.prototype.get = spy(Map.prototype.get); Array.prototype.push = spy(Array.prototype.push);
      Object.defineProperty(Object.prototype, 'resolve', {set(v) { seen.push(v) }, configurable: true});
      Object.defineProperty(Object.prototype, '1', {set(v) { seen.push(v) }, configurable: true});
      await ctx.parallel([() => ctx.call('echo', 1), () => ctx.call('echo', 2)]);
      return seen.length;
    """
    assert output(body) == 0


@pytest.mark.parametrize(
    "thenable",
    [
        "{then(ok) { ok(5) }}",
        "{then(ok, no) { no(new Error('t')) }}",
        "{get then() { throw new Error('t') }}",
        "{then() {}}",
    ],
)
def test_a_thenable_is_treated_as_javascript_does(thenable: str) -> None:
    expected = {"{then(ok) { ok(5) }}": 5, "{then() {}}": "deadlock"}.get(thenable, "t")
    driven = run(f"const thenable = {thenable}; return await ctx.step('s', () => thenable).catch((e) => e.message)")
    if expected == "deadlock":
        assert driven.error["code"] == "workflow-deadlock"
    else:
        assert driven.output == expected


def test_a_main_that_returns_a_promise_of_ctx_gives_its_value() -> None:
    from driving import drive

    assert drive("export default (input, ctx) => ctx.call('echo', 7)").output == 7


def test_results_are_objects_of_their_own_each_time() -> None:
    body = (
        "const [a, b] = await ctx.parallel([() => ctx.call('echo', {x: 1}), () => ctx.call('echo', {x: 1})]); a.x = 2;"
        " return [a, b]"
    )
    assert output(body) == [{"x": 2}, {"x": 1}]


def test_changing_the_input_after_the_call_changes_nothing() -> None:
    assert output("const x = {v: 1}; const p = ctx.call('echo', x); x.v = 2; return await p") == {"v": 1}
