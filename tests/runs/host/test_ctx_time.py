"""ctx.sleep, the durations and ctx.now."""

import pytest
from driving import cut, drive, output, replays_identically, run, script

from runs.host import HostLimits, Parked
from runs.host.memory import MemoryClock

START = MemoryClock().now()
TEN_YEARS = 10 * 366 * 24 * 3600 * 1000


def test_c11_a_sleep_of_zero_returns_and_writes_nothing() -> None:
    driven = run("return [await ctx.sleep(0), await ctx.sleep(-0)].length")
    assert driven.output == 2
    assert driven.journal.entries == []


@pytest.mark.parametrize(
    ("ms", "why"),
    [
        ("-5", "cannot sleep -5 ms"),
        ("NaN", "was given NaN"),
        ("'abc'", "not abc"),
        ("1e13", "the most is ten years"),
        ("Infinity", "cannot sleep Infinity ms"),
        ("-Infinity", "cannot sleep -Infinity"),
        ("undefined", "not undefined"),
        ("null", "not null"),
        ("10n", "not 10"),
        ("{}", "not {}"),
        ("'5'", "not 5"),
        ("[5]", "not [5]"),
        ("Symbol('x')", "not Symbol(x)"),
    ],
)
def test_c11_a_length_that_is_none_is_a_clear_error_that_can_be_caught(ms: str, why: str) -> None:
    driven = run(f"return await ctx.sleep({ms}).catch((e) => [e.code, e.message])")
    code, message = driven.output
    assert code == "invalid-input"
    assert why in message
    assert driven.journal.entries == []


def test_a_short_sleep_stays_resident_and_a_longer_one_parks() -> None:
    assert run("await ctx.sleep(1000)").parks == 0
    assert run("await ctx.sleep(1001)").parks == 1
    assert run("await ctx.sleep(1001)", limits=HostLimits(resident_sleep_ms=2000)).parks == 0


def test_a_sleep_writes_its_wake_time_and_later_that_it_fired() -> None:
    driven = run("await ctx.sleep(ctx.minutes(5))")
    timer, fired = (entry.body for entry in driven.journal.entries)
    assert (
        timer.items()
        >= {
            "kind": "timer",
            "callSeq": 1,
            "key": "sleep|300000",
            "wakeAt": START + 300_000,
            "ms": 300_000,
            "line": 2,
        }.items()
    )
    assert fired.items() >= {"kind": "fired", "callSeq": 1, "key": "sleep|300000", "lateMs": 0}.items()


def test_a_parked_run_names_its_earliest_wake_time_and_all_it_waits_for() -> None:
    driven = run("await Promise.all([ctx.sleep(9000), ctx.sleep(5000)])", advances=1)
    assert driven.outcome == Parked(
        START + 5000,
        [
            {"kind": "timer", "callSeq": 1, "wakeAt": START + 9000},
            {"kind": "timer", "callSeq": 2, "wakeAt": START + 5000},
        ],
    )


def test_waking_late_is_told() -> None:
    source = script("await ctx.sleep(5000); return 1")
    parked = drive(source, advances=1)
    late = drive(source, journal=parked.journal, clock=MemoryClock(START + 5000 + 777))
    assert late.bodies("fired")[0]["lateMs"] == 777


def test_waking_early_parks_again_until_the_same_time() -> None:
    source = script("await ctx.sleep(5000); return 1")
    parked = drive(source, advances=1)
    early = drive(source, journal=parked.journal, clock=MemoryClock(START + 100), advances=1)
    assert isinstance(early.outcome, Parked)
    assert early.outcome.wake_at == START + 5000
    assert len(early.bodies("timer")) == 1


def test_sleeps_that_are_due_together_fire_in_the_order_of_their_wake_times() -> None:
    source = script(
        "const seen = []; const nap = async (ms) => { await ctx.sleep(ms); seen.push(ms) }; await ctx.parallel([() =>"
        " nap(7000), () => nap(5000), () => nap(6000)]); return seen"
    )
    parked = drive(source, advances=1)
    late = drive(source, journal=parked.journal, clock=MemoryClock(START + 60_000))
    assert late.output == [5000, 6000, 7000]
    replays_identically(source, late)


def test_fractions_of_a_ms_round_up() -> None:
    assert run("await ctx.sleep(0.2)").bodies("timer")[0]["ms"] == 1


def test_a_script_of_many_parks_survives_a_crash_at_each() -> None:
    source = script(
        "const at = []; for (let i = 0; i < 5; i++) { await ctx.sleep(60000); at.push(await ctx.now()) } return at"
    )
    live = drive(source)
    assert live.parks == 5
    for rounds in range(len(live.journal.rounds)):
        resumed = drive(source, journal=cut(live.journal, rounds))
        assert len(resumed.output) == 5
        replays_identically(source, resumed)


@pytest.mark.parametrize(
    ("unit", "ms"), [("seconds", 1_000), ("minutes", 60_000), ("hours", 3_600_000), ("days", 86_400_000)]
)
def test_a_duration_works_as_a_number_as_json_and_awaited(unit: str, ms: int) -> None:
    body = f"""
      const d = ctx.{unit}(2);
      const seen = [d + 1, d * 2, `${{d}}`, JSON.stringify({{d}}), d > 5, Math.max(d, 1), Number(d),
        await ctx.call('echo', {{d}})];
      const before = await ctx.now();
      await d;
      await ctx.sleep(d);
      return [seen, await ctx.now() - before];
    """
    driven = run(body)
    assert driven.output == [
        [2 * ms + 1, 4 * ms, str(2 * ms), f'{{"d":{2 * ms}}}', True, 2 * ms, 2 * ms, {"d": 2 * ms}],
        4 * ms,
    ]
    assert [timer["ms"] for timer in driven.bodies("timer")] == [2 * ms] * 2
    replays_identically(script(body), driven)


@pytest.mark.parametrize("given", ["'5'", "NaN", "Infinity", "null", "undefined", "10n"])
def test_a_duration_of_no_number_is_invalid_input(given: str) -> None:
    assert output(f"try {{ return ctx.minutes({given}) }} catch (e) {{ return e.code }}") == "invalid-input"


def test_a_negative_duration_fails_where_it_is_slept() -> None:
    assert output("return await ctx.minutes(-1).then(() => 'slept', (e) => e.code)") == "invalid-input"


def test_durations_can_be_raced_with_a_call() -> None:
    assert output("return await Promise.race([ctx.seconds(1).then(() => 'timer'), ctx.call('echo', 'call')])") == "call"


def test_a_duration_of_ten_years_can_be_slept_and_no_more() -> None:
    assert run("await ctx.sleep(input)", input=TEN_YEARS, advances=1).outcome.wake_at == START + TEN_YEARS
    assert run("await ctx.sleep(input + 1)", input=TEN_YEARS).error["code"] == "invalid-input"


def test_now_is_the_host_s_clock_and_stays_what_it_was_on_replay() -> None:
    source = script("const a = await ctx.now(); await ctx.sleep(5000); const b = await ctx.now(); return [a, b]")
    live = drive(source)
    assert live.output == [START, START + 5000]
    assert [body["value"] for body in live.bodies("now")] == [START, START + 5000]
    replays_identically(source, live)
    again = drive(source, journal=list(live.journal.entries), clock=MemoryClock(START + 10**9))
    assert again.output == live.output
