"""Which step a child belongs to: the one in whose code it was asked for, with steps one after the other, nested, and
side by side, live and on replay."""

from typing import Any

import pytest
from driving import Driven, Tools, drive, replays_identically, script
from post import Post, answered

from journal.entries import Entry
from runs.host import HostLimits
from runs.host.memory import MemoryClock

HELP = """
const ask = (input) => ctx.delegate({script: 'S', input});
const own = async (n) => { for (let i = 0; i < n; i++) await null };
const told = async (ms) => { await ctx.sleep(ms); return ms };
"""


def parent(body: str, **how: Any) -> Driven:
    post = Post(MemoryClock(), answered)
    driven = drive(script(HELP.replace("\n", " ") + body), journal=post, **how)
    replays_identically(script(HELP.replace("\n", " ") + body), driven)
    return driven


def steps(body: str, **how: Any) -> dict[str, str | None]:
    """For each child, by its input, the label of its step; the call and the child say the same."""
    driven = parent(body, **how)
    assert isinstance(driven.journal, Post)
    made = {child.input: (child.step or {}).get("label") for child in driven.journal.children}
    calls = {
        body["input"]: body.get("step", {}).get("label") for body in driven.bodies("call") if body["op"] == "agent"
    }
    assert made == calls
    return made


def test_the_call_and_the_child_carry_id_and_label_of_the_step() -> None:
    driven = parent("await ctx.plan([{id: 'x', label: 'A'}]); await ctx.step('A', () => ask(1)); await ask(2)")
    calls = driven.bodies("call")
    assert calls[0]["step"] == {"id": "x", "label": "A"}
    assert "step" not in calls[1]
    assert isinstance(driven.journal, Post)
    assert [child.step for child in driven.journal.children] == [{"id": "x", "label": "A"}, None]


def test_a_child_that_cannot_be_made_has_the_step_too() -> None:
    driven = drive(
        script(HELP.replace("\n", " ") + "await ctx.step('A', () => ask(1)).catch(() => 0)"),
        journal=Post(MemoryClock()),
        limits=HostLimits(depth=8),
    )
    (call,) = driven.bodies("call")
    assert (call["childRunId"], call["step"]["label"]) == (None, "A")


@pytest.mark.parametrize(
    "waits",
    [
        "",
        "await null;",
        "await ctx.now();",
        "await ctx.log('info', 'x');",
        "await ctx.call('tick', {});",
        "await told(70000);",
        "await own(5);",
        "await ctx.parallel([() => ctx.now(), () => ctx.sleep(5)]);",
        "await Promise.all([ctx.now(), ctx.sleep(5)]);",
        "await Promise.race([ctx.now(), ctx.sleep(5)]);",
        "await ctx.call('boom', {}).catch(() => 0);",
        "try { await ctx.call('boom', {}) } catch {}",
        "await ctx.step('inner', () => ctx.sleep(5));",
        "await ctx.step('inner', async () => { throw 1 }).catch(() => 0);",
        "await ctx.seconds(1);",
    ],
)
def test_in_one_step_whatever_was_awaited_and_in_none_after_it(waits: str) -> None:
    body = f"await ctx.step('A', async () => {{ {waits} await ask(1) }}); await ask(2); {waits} await ask(3)"
    assert steps(body) == {1: "A", 2: None, 3: None}


def test_a_step_within_a_step_is_the_innermost_and_then_the_outer_one_again() -> None:
    body = """await ctx.step('A', async () => {
        const b = ctx.step('B', async () => {
          await ctx.sleep(5); await ask(1); await ctx.step('C', () => ask(2)); await ask(3) });
        await ask(4); await b; await ask(5);
    })"""
    assert steps(body) == {1: "B", 2: "C", 3: "B", 4: "A", 5: "A"}


def test_a_call_of_ctx_step_leaves_the_code_that_made_it_where_it_was() -> None:
    body = """const a = ctx.step('A', async () => { await ask(1); await ask(2) });
        const b = ask(3); await b; await ask(4); await a"""
    assert steps(body) == {1: "A", 2: "A", 3: None, 4: None}


SIDE_BY_SIDE = """
const one = (label, n) => ctx.step(label, async () => { %s await ask(n); %s await ask(n + 1) });
await ctx.parallel([() => one('A', 10), () => one('B', 20), async () => { %s await ask(30) }, () => one('C', 40)]);
await ask(50)
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "waits",
    [
        "",
        "await ctx.now();",
        "await ctx.log('info', label); await ctx.now();",
        "await ctx.call('tick', {});",
        "await ctx.sleep(n % 7 * 30000);",
        "await told(n);",
        "await Promise.all([ctx.call('tick', {}), ctx.now()]);",
        "await null;",
    ],
)
def test_side_by_side_each_child_has_its_own_step(waits: str, seed: int) -> None:
    outside = waits.replace("label", "'none'").replace("n %", "3 %").replace("(n)", "(3)")
    body = (SIDE_BY_SIDE % (waits, waits, outside)).replace("\n", " ")
    expected = {10: "A", 11: "A", 20: "B", 21: "B", 30: None, 40: "C", 41: "C", 50: None}
    assert steps(body, seed=seed) == expected


def test_a_promise_that_several_steps_await_leaves_each_in_its_own() -> None:
    body = """const shared = ctx.call('tick', {});
        await ctx.parallel(['A', 'B'].map((label, i) => () =>
          ctx.step(label, async () => { await shared; await ask(i) })))"""
    assert steps(body) == {0: "A", 1: "B"}


def test_a_callback_of_then_is_in_the_step_that_gave_it() -> None:
    body = """const p = ctx.call('tick', {});
        await ctx.parallel([() => ctx.step('A', () => p.then(() => ask(1))), () => p.then(() => ask(2)),
          () => ctx.step('B', () => ctx.call('boom', {}).catch(() => ask(3)).finally(() => ask(4)))])"""
    assert steps(body) == {1: "A", 2: None, 3: "B", 4: "B"}


def test_a_step_that_has_ended_gives_way_to_the_one_around_it() -> None:
    body = """await ctx.step('A', async () => {
        let later;
        await ctx.step('B', async () => { later = (async () => { await ctx.sleep(50); await ask(1) })() });
        await later;
    })"""
    assert steps(body) == {1: "A"}


def test_the_step_is_no_part_of_the_key() -> None:
    body = "await ctx.step('A', () => ask(1)); await ctx.step('B', () => ask(1)); await ask(1)"
    first, second, third = (call["key"] for call in parent(body).bodies("call"))
    assert first == second == third


def test_a_journal_without_steps_at_its_calls_replays_and_goes_on() -> None:
    """As one of before they were written."""
    body = script(
        HELP.replace("\n", " ")
        + "await ctx.step('A', async () => { await ask(1); await ctx.sleep(60000); await ask(2) })"
    )
    live = drive(body, journal=Post(MemoryClock(), answered))
    old = Post(MemoryClock(live.clock.now()), answered)
    for round in live.journal.rounds[:3]:
        for entry in round.entries:
            kept = {name: value for name, value in entry.body.items() if name != "step"}
            old.entries.append(Entry.of(entry.seq, entry.at, kept))
    assert [entry.kind for entry in old.entries] == ["step", "call", "result", "timer"]
    again = drive(body, journal=old)
    assert [call.get("step") for call in again.bodies("call")] == [None, {"id": "s1", "label": "A"}]


def test_a_label_that_no_text_column_holds_is_kept_as_it_is() -> None:
    driven = parent("await ctx.step('a\\u0000\\ud800', () => ask(1))", tool=Tools())
    (call,) = driven.bodies("call")
    assert call["step"]["label"] == "a\0\ud800"


def test_hostile_promises_do_not_keep_a_child_from_its_step() -> None:
    body = """Promise.prototype.then = () => { throw 1 }; Promise.prototype.constructor = class {};
        await ctx.step('A', async () => { await ctx.now(); await ask(1); await ctx.sleep(5); await ask(2) });
        await ask(3)"""
    assert steps(body) == {1: "A", 2: "A", 3: None}
