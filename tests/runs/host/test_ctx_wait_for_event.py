"""ctx.waitForEvent: matching, order, timeouts, labels, and who still awaits a wait that has lost a race."""

import re
from typing import Any

import pytest
from driving import Driven, drive, output, replays_identically, run, script
from post import Post, signals

from runs.host import Parked, Succeeded
from runs.host.memory import MemoryClock


def told(body: str, *names: str, post: Post | None = None) -> Driven:
    """The run of that body once these signals are in its inbox; the payloads are 1, 2, 3 ..."""
    post = post or Post(MemoryClock())
    signals(post, names)
    driven = drive(script(body), journal=post)
    if isinstance(driven.outcome, Succeeded):
        replays_identically(script(body), driven)
    return driven


def kept(driven: Driven) -> list[Any]:
    """The payloads of the signals that nothing has taken."""
    assert isinstance(driven.journal, Post)
    return [letter.payload for letter in driven.journal.letters()]


def test_a_wait_and_its_event_carry_the_fields_of_the_specification() -> None:
    body = "return await ctx.waitForEvent({signal: 'ok'}, {timeout: 60000, label: 'Sign-off'})"
    driven = told(body, "ok")
    wait, event = (entry.body for entry in driven.journal.entries)
    at = driven.journal.entries[0].at
    assert wait == {
        "kind": "wait",
        "callSeq": 1,
        "key": wait["key"],
        "waitId": "w1",
        "match": {"signal": "ok"},
        "timeout": 60_000,
        "timeoutAt": at + 60_000,
        "label": "Sign-off",
        "line": 2,
    }
    fields = {"kind": "event", "callSeq": 1, "key": wait["key"], "waitId": "w1", "signal": "ok", "payload": 1}
    assert event == fields
    assert driven.output == {"signal": "ok", "payload": 1}


def test_a_wait_without_a_match_takes_any_signal() -> None:
    for match in ("{}", "", "undefined", "null"):
        assert told(f"return (await ctx.waitForEvent({match})).signal", "whatever").output == "whatever"


def test_a_wait_leaves_a_signal_of_another_name_in_the_inbox() -> None:
    driven = told("return await ctx.waitForEvent({signal: 'b'})", "a", "b", "a")
    assert driven.output == {"signal": "b", "payload": 2}
    assert kept(driven) == [1, 3]


def test_a_wait_that_nobody_answers_gives_null_in_time() -> None:
    driven = run("const t = await ctx.now(); return [await ctx.waitForEvent({}, {timeout: ctx.minutes(5)}),"
                 " await ctx.now() - t]", journal=Post(MemoryClock()))  # fmt: skip
    assert driven.output == [None, 300_000]
    assert driven.parks == 1
    (event,) = driven.bodies("event")
    assert event["timedOut"] is True
    assert "payload" not in event


def test_a_timeout_of_zero_asks_for_what_is_there() -> None:
    body = "return [await ctx.waitForEvent({}, {timeout: 0}), await ctx.waitForEvent({}, {timeout: 0})]"
    assert told(body, "a").output == [{"signal": "a", "payload": 1}, None]


def test_a_signal_that_came_in_time_goes_before_the_timeout() -> None:
    """It came while the run was resident and had not looked into its inbox yet."""
    post = Post(MemoryClock())
    post.signal("a", 7, after=400)
    driven = told("return await ctx.waitForEvent({}, {timeout: 500})", post=post)
    assert driven.output == {"signal": "a", "payload": 7}


def test_a_null_payload_is_not_a_timeout() -> None:
    post = Post(MemoryClock())
    post.signal("a")
    assert told("return await ctx.waitForEvent({}, {timeout: 5})", post=post).output == {"signal": "a", "payload": None}


def test_a_parked_wait_is_told_with_match_label_and_timeout() -> None:
    driven = told("await ctx.waitForEvent({signal: 'ok'}, {timeout: 60000, label: 'Sign-off'})")
    (parked,) = (round.ending for round in driven.journal.rounds if isinstance(round.ending, Parked))
    wake = driven.journal.entries[0].at + 60_000
    wait = {"waitId": "w1", "match": {"signal": "ok"}, "label": "Sign-off", "wakeAt": wake}
    assert parked.wait == [{"kind": "wait", "callSeq": 1} | wait]
    assert parked.wake_at == wake


def test_c6_a_signal_before_the_wait_is_kept_and_delivered_at_the_wait() -> None:
    """C6; and what is kept does not keep the run from parking: it would be woken again and again."""
    body = "await ctx.sleep(60000); await ctx.sleep(60000); return await ctx.waitForEvent({signal: 'a'})"
    driven = told(body, "a")
    assert driven.output == {"signal": "a", "payload": 1}
    assert driven.parks == 2


def test_c7_signals_are_answered_in_order_of_arrival() -> None:
    body = "const got = []; while (got.length < 3) got.push((await ctx.waitForEvent({})).payload); return got"
    assert told(body, "a", "b", "c").output == [1, 2, 3]


def test_among_waits_that_match_the_oldest_is_answered() -> None:
    body = """return await ctx.parallel([() => ctx.waitForEvent({signal: 'b'}), () => ctx.waitForEvent({}),
        () => ctx.waitForEvent({})])"""
    assert [event["payload"] for event in told(body, "a", "b", "c").output] == [2, 1, 3]


def test_a_signal_for_one_wait_answers_that_one() -> None:
    post = Post(MemoryClock())
    post.signal("a", "second", wait_id="w2")
    post.signal("a", "first")
    body = "return await ctx.parallel([() => ctx.waitForEvent({}), () => ctx.waitForEvent({})])"
    assert [event["payload"] for event in told(body, post=post).output] == ["first", "second"]


def test_c10_of_two_waits_the_one_that_is_not_answered_stays_open() -> None:
    body = """return await ctx.parallel([() => ctx.waitForEvent({signal: 'a'}, {label: 'Ana'}),
        () => ctx.waitForEvent({signal: 'b'}, {label: 'Ben'})])"""
    driven = told(body, "b")
    assert isinstance(driven.outcome, Parked)
    assert [(wait["waitId"], wait["label"]) for wait in driven.outcome.wait] == [("w1", "Ana")]


def spelled(way: str, sleep: str) -> str:
    """W stands for the wait, S for the sleep."""
    return re.sub(r"\bS\b", sleep, re.sub(r"\bW\b", "ctx.waitForEvent({signal: 'a'})", way))


LOSING = {
    "a race with a sleep": "Promise.race([W, S])",
    "any": "Promise.any([W, S])",
    "a race of what is made of it": "Promise.race([W.then((e) => e.payload), S])",
    "a race of what is made of what is made of it": "Promise.race([W.then((e) => e.payload).catch(() => 0), S])",
    "a race within a race": "Promise.race([Promise.race([W, ctx.sleep(10 ** 9)]), S])",
    "any within a race": "Promise.race([Promise.any([W, ctx.sleep(10 ** 9)]), S])",
    "all within a race": "Promise.race([Promise.all([W, ctx.sleep(1)]), S])",
    "allSettled within a race": "Promise.race([Promise.allSettled([W]), S])",
    "ctx.parallel within a race": "Promise.race([ctx.parallel([() => W]), S])",
    "ctx.parallelSettled within a race": "Promise.race([ctx.parallelSettled([() => W]), S])",
    "all that has failed": "Promise.all([W, S.then(() => { throw 1 })]).catch(() => 's')",
    "ctx.parallel that has failed": "ctx.parallel([() => W, () => S.then(() => { throw 1 })]).catch(() => 's')",
    "the same wait twice": "Promise.race([W, W, S])",
}


@pytest.mark.parametrize("way", LOSING)
def test_c2_a_wait_that_has_lost_takes_no_signal(way: str) -> None:
    """C2: the second wait gets it; the past is not rewritten."""
    lost = spelled(LOSING[way], "ctx.sleep(2000).then(() => 's')")
    body = f"""const won = await {lost}; const n = await ctx.call('tick', {{}});
      const got = await ctx.waitForEvent({{signal: 'a'}}); return [won, n, got.payload]"""
    post = Post(MemoryClock())
    post.signal("a", "mine", after=60_000)
    driven = told(body, post=post)
    assert driven.output == ["s", 1, "mine"]
    (event,) = driven.bodies("event")
    assert event["waitId"] == driven.bodies("wait")[-1]["waitId"]


LIVE = {
    "awaited beside the race": "const w = W; const seen = (async () => { x = await w })(); await Promise.race([w, S])",
    "listened to": "W.then((e) => { x = e }); await S",
    "what is made of it is awaited": "const t = W.then((e) => { x = e }); (async () => { await t })(); await"
    " Promise.race([t, S])",
    "awaited by a branch that has lost": "await Promise.race([(async () => { x = await W })(), S])",
    "awaited only later": "const w = W; await S; x = await w",
}


@pytest.mark.parametrize("way", LIVE)
def test_a_wait_that_somebody_still_awaits_takes_its_signal(way: str) -> None:
    """Of the branch that has lost: what comes after its wait is still to run."""
    waiting = spelled(LIVE[way], "ctx.sleep(2000)")
    post = Post(MemoryClock())
    post.signal("a", "mine", after=60_000)
    driven = told(f"let x = null; {waiting}; await ctx.sleep(100000); return x.payload", post=post)
    assert driven.output == "mine"


def test_a_timeout_that_nobody_awaits_does_not_wake_the_run() -> None:
    body = """await Promise.race([ctx.waitForEvent({}, {timeout: 3600000}), ctx.sleep(2000)]);
      return await ctx.waitForEvent({signal: 'a'})"""
    post = Post(MemoryClock())
    driven = told(body, post=post)
    assert isinstance(driven.outcome, Parked)
    assert driven.outcome.wake_at is None


def test_a_wait_that_nobody_can_answer_any_more_is_a_deadlock() -> None:
    body = "const w = ctx.waitForEvent({}); await Promise.race([w, ctx.sleep(5)]); await new Promise(() => 0)"
    assert run(body, journal=Post(MemoryClock())).error["code"] == "workflow-deadlock"


def test_a_wait_that_is_left_behind_is_dropped_at_the_end() -> None:
    driven = told("ctx.waitForEvent({}).then(() => 0); return 1")
    assert driven.output == 1
    assert driven.bodies("event") == []


def test_a_label_is_narration_and_a_match_is_not() -> None:
    keys = {
        run(f"ctx.waitForEvent({given}).then(() => 0)", journal=Post(MemoryClock())).bodies("wait")[0]["key"]
        for given in ("{signal: 'a'}", "{signal: 'a'}, {label: 'x'}", "{signal: 'b'}", "{signal: 'a'}, {timeout: 5}")
    }
    assert len(keys) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("5", "any signal"),
        ("{signal: 5}", "is a name"),
        ("{signal: ''}", "is a name"),
        ("{name: 'a'}", 'no field "name"'),
        ("{}, 5", "are an object"),
        ("{}, {timeout: -1}", "at least 0"),
        ("{}, {timeout: NaN}", "at least 0"),
        ("{}, {timeout: 'abc'}", "at least 0"),
        ("{}, {timeout: Infinity}", "at least 0"),
        ("{}, {timeoutMs: 5}", 'no option "timeoutMs"'),
    ],
)
def test_a_wait_that_makes_no_sense_is_invalid_input(given: str, words: str) -> None:
    code, message = output(f"return await ctx.waitForEvent({given}).catch((e) => [e.code, e.message])")
    assert code == "invalid-input"
    assert words in message


@pytest.mark.parametrize("items", ["5", "null", "{}", "undefined"])
@pytest.mark.parametrize("name", ["race", "any", "all", "allSettled"])
def test_a_combinator_of_what_is_no_list_rejects(name: str, items: str) -> None:
    assert output(f"return await Promise.{name}({items}).catch((e) => e.name)") == "TypeError"


def test_the_combinators_do_what_they_always_did() -> None:
    body = """
      const bad = () => Promise.reject(new Error('bad')), later = (v) => ctx.sleep(5).then(() => v);
      return [
        await Promise.all([1, later(2)]), await Promise.all([bad(), later(2)]).catch((e) => e.message),
        (await Promise.allSettled([bad(), 2])).map((o) => o.status), await Promise.any([bad(), later(3)]),
        await Promise.any([bad()]).catch((e) => e.errors.length), await Promise.race([later(1), 2]),
        Promise.race([]) instanceof Promise, await Promise.all([]), Promise.all.name, Promise.all.length,
      ];
    """
    expected = [[1, 2], "bad", ["rejected", "fulfilled"], 3, 1, 2, True, [], "all", 1]
    assert output(body) == expected
