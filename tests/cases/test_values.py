"""C11, C14, C16, C17: what crosses between script and journal crosses whole or is refused by name, on any database."""

from cases.engines import BOTH
from cases.installation import Installation

pytestmark = BOTH

# Each expression, and what the script sees after echo gave it back.
ODD = {
    "-0": "0",
    "[undefined]": "invalid-input",
    "[1, undefined, 3]": "invalid-input",
    "{a: undefined}": "{}",
    "NaN": "invalid-input",
    "[Infinity]": "invalid-input",
    r"'\ud800'": r'"\ud800"',
    r"'a\udfffb'": r'"a\udfffb"',
    r"'a\0b'": r'"a\u0000b"',
    r"{'\0': '\0'}": r'{"\u0000":"\u0000"}',
    "2 ** 53": "invalid-result",
    "2 ** 53 - 1": "9007199254740991",
    "0.1 + 0.2": "0.30000000000000004",
    "1e300": "1e+300",
    r"'\u{1f600}'": '"\U0001f600"',
    "{b: 1, a: 2}": '{"b":1,"a":2}',
    "{2: 'b', 1: 'a'}": '{"1":"a","2":"b"}',
}


def test_c17_odd_values_are_the_same_live_and_replayed(house: Installation) -> None:
    """C17: NaN, undefined in arrays, -0, a lone surrogate, NUL characters as input: live equals replayed, or refused;
    the same on every database."""
    tries = ",\n".join(f"() => ({expression})" for expression in ODD)
    run = house.run(f"""
        const text = (v) => Object.is(v, -0) ? '-0' : JSON.stringify(v)
        const seen = []
        for (const make of [{tries}]) {{
            try {{ seen.push(text(await ctx.call('echo', {{v: make()}}))) }}
            catch (error) {{ seen.push(error.code) }}
        }}
        const live = await ctx.call('counted', {{v: seen}})
        await ctx.sleep(150)
        return [live, seen]""")
    ended = house.succeeded(run)
    live, replayed = ended.output
    assert dict(zip(ODD, live, strict=True)) == ODD
    assert replayed == live
    assert ended.fence >= 2
    assert house.counts(run) == {"counted": 1}


def test_c17_an_odd_input_reaches_the_script_as_it_was(house: Installation) -> None:
    """C17: the same for the run's own input."""
    odd = {"nul": "a\0b", "lone": "\ud800", "minus": -0.0, "list": [None, [], {}]}
    run = house.run(
        """
        const text = () => JSON.stringify(input) + Object.is(input.minus, -0)
        const live = await ctx.call('counted', {v: text()})
        await ctx.sleep(150)
        return [live === text(), input]""",
        input=odd,
    )
    assert house.succeeded(run).output == [True, odd]
    assert house.counts(run) == {"counted": 1}


def test_c16_a_bigint_result_is_refused_by_name(house: Installation) -> None:
    """C16: return 10n: a named error, no deadlock."""
    error = house.failed(house.run("await ctx.call('echo', {}); return {total: [1, 10n]}"), "invalid-input")
    assert "total" in error["message"]
    assert "[1]" in error["message"]
    assert "BigInt" in error["message"]


def test_c16_a_cyclic_result_is_refused_by_name(house: Installation) -> None:
    """C16: a cyclic result: a named error with the path, no deadlock."""
    error = house.failed(house.run("const a = {b: {}}; a.b.c = a; return a"), "invalid-input")
    assert "b.c" in error["message"]


def test_c16_a_bigint_argument_fails_the_call_and_can_be_caught(house: Installation) -> None:
    """C16: BigInt as an argument: a named error with the path, no deadlock."""
    run = house.run("""
        try { await ctx.call('counted', {v: {deep: [10n]}}) } catch (error) { return [error.code, error.message] }""")
    code, message = house.succeeded(run).output
    assert code == "invalid-input"
    assert "deep[0]" in message
    assert house.counts(run) == {}


def test_c14_a_result_that_is_too_large_fails_its_call_alone(house: Installation) -> None:
    """C14: a tool returns 5 MB: that call fails with the size and the limit, catchable."""
    run = house.run("""
        try { await ctx.call('big', {size: 5000000}) }
        catch (error) { await ctx.sleep(150); return [error.code, error.message] }""")
    code, message = house.succeeded(run).output
    assert code == "result-too-large"
    assert "5,000,002" in message
    assert "262,144" in message
    assert house.counts(run) == {"big": 1}


def test_c11_a_sleep_of_nothing_returns_and_of_nonsense_is_refused(house: Installation) -> None:
    """C11: sleep of 0, -5, NaN, "abc", 1e13, Infinity: 0 returns; the others a clear, catchable error."""
    run = house.run("""
        const seen = []
        for (const ms of [0, -5, NaN, 'abc', 1e13, Infinity]) {
            try { await ctx.sleep(ms); seen.push('slept') } catch (error) { seen.push([error.code, error.message]) }
        }
        await ctx.sleep(150)
        return seen""")
    slept, *refused = house.succeeded(run).output
    assert slept == "slept"
    assert [code for code, _ in refused] == ["invalid-input"] * 5
    assert all("sleep" in message for _, message in refused), refused
