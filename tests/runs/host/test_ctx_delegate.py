"""ctx.delegate (ctx.agent): the child of a call, what it gives back, and how it can fail."""

from typing import Any

import pytest
from driving import Driven, drive, output, replays_identically, script
from post import Post, answered

from runs.codes import Code
from runs.host import Failed, HostLimits, NewChild, Parked, Succeeded
from runs.host.failure import run_error
from runs.host.memory import MemoryClock

ASKS = "ctx.delegate({script: 'S', input: {x: 1}, title: 'Child'})"


def parent(body: str, child: Any = answered, **how: Any) -> Driven:
    post = Post(MemoryClock(), child)
    driven = drive(script(body), journal=post, **how)
    if isinstance(driven.outcome, Succeeded | Failed):
        replays_identically(script(body), driven, **how)
    return driven


def failing(code: str = "boom", **more: Any) -> Any:
    return lambda _: (10, False, run_error(code, "it broke", "", **more))


def caught(body: str, child: Any = answered, **how: Any) -> Any:
    """What the script sees of the error that it catches."""
    told = "[e instanceof ActionError, e.code, e.message, e.retryable, e.detail, e.callSeq, e.childRunId]"
    return parent(f"try {{ return await {body} }} catch (e) {{ return {told} }}", child, **how).output


def test_a_delegate_writes_a_call_with_the_child_and_then_its_result() -> None:
    driven = parent(f"return await {ASKS}")
    call, result = (entry.body for entry in driven.journal.entries)
    fields = {
        "kind": "call",
        "callSeq": 1,
        "op": "agent",
        "script": "S",
        "input": {"x": 1},
        "title": "Child",
        "line": 2,
    }
    assert call == fields | {"key": call["key"], "childRunId": "child-1"}
    assert result == {"kind": "result", "callSeq": 1, "key": call["key"], "status": "succeeded", "output": {"x": 1}}
    assert driven.output == {"x": 1}


def test_the_child_commits_with_its_call_and_the_parent_parks_until_a_message() -> None:
    driven = parent(f"return await {ASKS}", lambda _: (60_000, True, "late"))
    first = driven.journal.rounds[0]
    assert [child.call_seq for child in first.children] == [1]
    assert [entry.kind for entry in first.entries] == ["call"]
    parked = driven.journal.rounds[1].ending
    assert isinstance(parked, Parked)
    assert (parked.wake_at, parked.wait) == (None, [{"kind": "child", "callSeq": 1}])
    assert driven.output == "late"


def test_agent_is_another_name_of_delegate() -> None:
    assert output("return ctx.agent === ctx.delegate")
    driven = parent("return await ctx.agent({agent: 'llm', input: 1})")
    assert (driven.bodies("call")[0]["op"], driven.bodies("call")[0]["agent"]) == ("agent", "llm")


def test_title_and_description_are_no_part_of_the_key() -> None:
    keys = [
        parent(f"await ctx.delegate({{script: 'S', {more}}})").bodies("call")[0]["key"]
        for more in ("title: 'a'", "description: 'b'", "", "input: 1")
    ]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_the_failure_of_a_child_is_an_actionerror_with_the_child() -> None:
    seen = caught(ASKS, failing(retryable=True, detail={"d": 1}))
    assert seen == [True, "boom", "it broke", True, {"d": 1}, 1, "child-1"]


def test_the_cancelation_of_a_child_is_one_too() -> None:
    assert caught(ASKS, failing(Code.CANCELED))[:2] == [True, "canceled"]


def test_a_failure_that_nobody_catches_fails_the_parent_with_its_call() -> None:
    error = parent(f"\nawait {ASKS}", failing()).error
    assert (error["code"], error["callSeq"], error["line"]) == ("boom", 1, 3)


def test_children_run_side_by_side_and_each_answers_its_own_call() -> None:
    def child(made: NewChild) -> tuple[int, bool, Any]:
        return 100 - made.call_seq, True, made.input

    body = "return await ctx.parallel([1, 2, 3].map((n) => () => ctx.delegate({script: 'S', input: n})))"
    driven = parent(body, child)
    assert driven.output == [1, 2, 3]
    assert [body["callSeq"] for body in driven.bodies("result")] == [3, 2, 1]


def test_an_output_that_does_not_fit_its_schema_is_output_schema() -> None:
    asks = "ctx.delegate({script: 'S', input: 'five', output: {type: 'number'}})"
    seen = caught(asks)
    assert (seen[1], seen[5], seen[6]) == ("output-schema", 1, "child-1")
    assert "'five' is not of type 'number'" in seen[2]
    assert parent("return await ctx.delegate({script: 'S', input: 5, output: {type: 'number'}})").output == 5


def test_an_uncaught_failure_of_a_child_names_the_child_in_the_error_of_the_run() -> None:
    direct = parent(f"await {ASKS}", failing()).error
    assert (direct["code"], direct["callSeq"], direct["childRunId"], direct["tool"]) == ("boom", 1, "child-1", None)
    wrapped = f"try {{ await {ASKS} }} catch (e) {{ throw new Error('wrapped', {{cause: e}}) }}"
    told = parent(wrapped, failing()).error
    assert (told["code"], told["childRunId"]) == ("workflow-error", "child-1")
    assert parent(f"await ctx.parallel([() => {ASKS}])", failing()).error["childRunId"] == "child-1"
    schema = "ctx.delegate({script: 'S', input: 5, output: {type: 'string'}})"
    assert parent(f"await {schema}").error["childRunId"] == "child-1"


def test_an_error_that_is_not_of_a_child_names_none() -> None:
    for body in ("await ctx.call('boom', {})", "throw new ActionError({code: 'x', childRunId: 'forged'})"):
        assert "childRunId" not in parent(body).error
    assert "childRunId" not in parent(f"await {ASKS}", limits=HostLimits(depth=8)).error


def test_depth_limit_is_a_catchable_error_and_makes_no_child() -> None:
    seen = caught(ASKS, limits=HostLimits(depth=8))
    assert (seen[1], seen[5], seen[6]) == ("depth-limit", 1, None)
    assert caught(ASKS, limits=HostLimits(depth=7)) == {"x": 1}


def test_fanout_limit_is_a_catchable_error_and_counts_after_a_replay_too() -> None:
    body = f"""let n = 0; try {{ for (;;) {{ await {ASKS}; n++; await ctx.sleep(60000) }} }}
        catch (e) {{ return [n, e.code] }}"""
    driven = parent(body, limits=HostLimits(fanout_limit=3))
    assert driven.output == [3, "fanout-limit"]
    assert isinstance(driven.journal, Post)
    assert len(driven.journal.children) == 3


def test_a_child_that_was_refused_is_told_again_after_a_crash_between_call_and_result() -> None:
    body = script(f"try {{ return await {ASKS} }} catch (e) {{ return e.code }}")
    limits = HostLimits(depth=8)
    live = drive(body, journal=Post(MemoryClock()), limits=limits)
    assert isinstance(live.journal, Post)
    for rounds in range(len(live.journal.rounds)):
        assert drive(body, journal=live.journal.cut(rounds), limits=limits).output == "depth-limit"


def test_c21_a_parent_that_dies_after_any_commit_has_one_child() -> None:
    body = script(f"const a = await {ASKS}; await ctx.sleep(60000); return a")
    live = drive(body, journal=Post(MemoryClock(), lambda _: (5_000, True, "done")))
    assert isinstance(live.journal, Post)
    for rounds in range(len(live.journal.rounds)):
        post = live.journal.cut(rounds)
        assert drive(body, journal=post).output == "done"
        assert len(post.children) == 1


def test_children_of_a_round_that_does_not_fit_the_journal_are_not_made() -> None:
    body = f"await Promise.race([{ASKS}, ctx.sleep(5)]); for (let i = 0; i < 9; i++) {ASKS}; await ctx.sleep(5)"
    driven = parent(body, lambda _: (10**9, True, 1), limits=HostLimits(journal_max_entries=6))
    assert driven.error["code"] == "journal-cap"
    assert isinstance(driven.journal, Post)
    assert [child.run_id for child in driven.journal.children] == [b["childRunId"] for b in driven.bodies("call")]


def test_a_child_that_nobody_awaits_goes_on_by_itself() -> None:
    driven = parent(f"{ASKS}; return 1", lambda _: (10**9, True, 1))
    assert driven.output == 1
    assert driven.kinds() == ["call"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("", "takes {script"),
        ("'code'", "takes {script"),
        ("{}", "one of script, agent and workflow, not 0"),
        ("{script: 'S', agent: 'a'}", "one of script, agent and workflow, not 2"),
        ("{script: ''}", "is a text"),
        ("{agent: 5}", "is a text"),
        ("{script: 'S', inputs: 1}", 'no field "inputs"'),
        ("{script: 'S', input: 10n}", "BigInt"),
        ("{script: 'S', output: () => 1}", "a function"),
    ],
)
def test_a_delegate_that_makes_no_sense_is_invalid_input(given: str, words: str) -> None:
    code, message = output(f"return await ctx.delegate({given}).catch((e) => [e.code, e.message])")
    assert code == "invalid-input"
    assert words in message
