"""ctx.log, console, ctx.progress, and the warning about rejections that nobody handles."""

import re

import pytest
from driving import TimedEffects, cut, drive, output, replays_identically, run, script


def lines(body: str) -> list[tuple[str, str, object]]:
    driven = run(body)
    replays_identically(script(body), driven)
    return [(entry["level"], entry["message"], entry.get("data")) for entry in driven.bodies("log")]


def test_log_writes_level_message_and_data() -> None:
    assert lines("await ctx.log('warn', 'low', {left: 2}); await ctx.log('error', 'none')") == [
        ("warn", "low", {"left": 2}),
        ("error", "none", None),
    ]


def test_log_of_one_argument_is_an_info_line_whatever_it_says() -> None:
    assert lines("ctx.log('hello'); ctx.log('error'); ctx.log({a: 1}); ctx.log(5)") == [
        ("info", "hello", None),
        ("info", "error", None),
        ("info", '{"a":1}', None),
        ("info", "5", None),
    ]


@pytest.mark.parametrize("level", ["debug", "info", "warn", "error"])
def test_each_level_is_known_to_log_and_to_console(level: str) -> None:
    assert lines(f"ctx.log('{level}', 'a'); console.{level}('b')") == [(level, "a", None), (level, "b", None)]


def test_console_log_is_an_info_line_in_order_with_the_rest() -> None:
    body = (
        "console.log('a', 1, {b: [true]}, null, undefined, new Error('x')); await ctx.log('b'); console.log();"
        " console.log('c')"
    )
    assert lines(body) == [
        ("info", 'a 1 {"b":[true]} null undefined Error: x', None),
        ("info", "b", None),
        ("info", "", None),
        ("info", "c", None),
    ]


def test_an_unknown_level_is_invalid_input() -> None:
    assert output("return await ctx.log('loud', 'x').catch((e) => [e.code, e.message])") == [
        "invalid-input",
        "ctx.log has no level loud; there are debug, info, warn, error",
    ]


def test_data_that_json_cannot_carry_is_refused_with_its_path() -> None:
    assert (
        output("return await ctx.log('info', 'x', {a: 10n}).catch((e) => e.message)")
        == "the data of ctx.log at .a is a BigInt; pass String(n) or Number(n)"
    )


def test_an_error_as_data_is_told_by_name_message_and_stack() -> None:
    ((_, _, data),) = lines("await ctx.log('error', 'failed', new TypeError('x'))")
    assert isinstance(data, dict)
    assert (data["name"], data["message"]) == ("TypeError", "x")
    assert re.fullmatch(r"    at default \(workflow\.js:2:\d+\)\n", data["stack"])


def test_a_long_message_is_cut_with_a_mark() -> None:
    ((_, message, _),) = lines("await ctx.log('x'.repeat(20000))")
    assert message == "x" * 16384 + "… (20000 characters)"


def test_lines_are_committed_before_the_call_that_follows_starts() -> None:
    driven = run("console.log('before'); await ctx.call('echo'); console.log('after')")
    assert driven.kinds() == ["log", "call", "result", "log"]
    assert len(driven.journal.rounds[0].entries) == 2


def test_progress_is_shown_with_the_next_round_and_never_journaled() -> None:
    body = (
        "ctx.progress({fraction: 0.25, label: 'a'}); await ctx.call('echo'); ctx.progress(0.5); ctx.progress({label:"
        " 'b'}); await ctx.call('echo'); ctx.progress({fraction: 7})"
    )
    driven = run(body)
    assert driven.kinds() == ["call", "result"] * 2
    assert [round.progress for round in driven.journal.rounds if round.progress] == [
        {"fraction": 0.25, "label": "a"},
        {"fraction": 0.5, "label": "b"},
    ]
    replays_identically(script(body), driven)


UNHANDLED = [
    ("ctx.call('boom')", "call 1 (line 2) failed and nobody awaits it"),
    ("ctx.call('echo', 10n)", "ctx.call (line 2) failed and nobody awaits it"),
    ("ctx.sleep(-1)", "ctx.sleep (line 2) failed and nobody awaits it"),
    ("ctx.plan(5)", "ctx.plan (line 2) failed and nobody awaits it"),
    ("ctx.log('loud', 'x')", "ctx.log (line 2) failed and nobody awaits it"),
    (
        "ctx.parallel([() => ctx.call('boom'), () => ctx.call('boom')])",
        "ctx.parallel (line 0) failed and nobody awaits it",
    ),
    ("ctx.step('s', () => { throw 1 })", "ctx.step (line 0) failed and nobody awaits it"),
]


@pytest.mark.parametrize(("effect", "warning"), UNHANDLED)
def test_a_rejection_that_nobody_handles_is_warned_of_once_and_not_again_on_replay(effect: str, warning: str) -> None:
    source = script(f"{effect}; await ctx.sleep(5000); await ctx.call('echo'); await ctx.sleep(5000); return 1")
    live = drive(source)
    assert live.output == 1
    assert live.notices() == [warning]
    replays_identically(source, live)
    for rounds in range(len(live.journal.rounds)):
        assert drive(source, journal=cut(live.journal, rounds)).notices() == [warning]


@pytest.mark.parametrize(
    "handled",
    [
        "await ctx.call('boom').catch(() => 0)",
        "try { await ctx.call('boom') } catch {}",
        "await Promise.allSettled([ctx.call('boom')])",
        "await Promise.race([ctx.call('echo'), ctx.call('slow', {ms: 10})])",
        "await ctx.parallelSettled([() => ctx.call('boom')])",
        "await ctx.step('s', () => ctx.call('boom')).catch(() => 0)",
    ],
)
def test_a_rejection_that_is_handled_is_not_warned_of(handled: str) -> None:
    assert run(f"{handled}; await ctx.sleep(10)", effects=TimedEffects).notices() == []
