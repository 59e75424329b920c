"""ctx.call, ctx.parallel and ctx.parallelSettled, and the cases of the list that are about calls."""

import pytest
from driving import TimedEffects, Tools, cut, drive, error, is_sound, output, replays_identically, run, script

from runs.host.memory import MemoryEffects


def test_input_and_run_id_are_what_the_run_was_started_with() -> None:
    assert output("return [ctx.input, input === ctx.input, ctx.runId]", input={"a": [1]}) == [{"a": [1]}, True, "run-1"]


def test_ctx_and_what_it_holds_cannot_be_replaced() -> None:
    assert output("try { ctx.call = 1 } catch (e) { return [e.name, Object.isFrozen(ctx), typeof ctx.call] }") == [
        "TypeError",
        True,
        "function",
    ]


def test_a_call_writes_a_call_entry_and_then_its_result() -> None:
    driven = run("return await ctx.call('echo', {v: 1}, {description: 'Say it'})")
    call, result = (entry.body for entry in driven.journal.entries)
    assert (
        call.items()
        >= {
            "kind": "call",
            "callSeq": 1,
            "op": "tool",
            "tool": "echo",
            "input": {"v": 1},
            "line": 2,
            "description": "Say it",
        }.items()
    )
    assert (
        result.items()
        >= {
            "kind": "result",
            "callSeq": 1,
            "key": call["key"],
            "status": "succeeded",
            "output": {"v": 1},
        }.items()
    )


def test_a_description_is_no_part_of_the_key() -> None:
    told, untold = run("await ctx.call('echo', 1, {description: 'x'})"), run("await ctx.call('echo', 1)")
    assert told.bodies("call")[0]["key"] == untold.bodies("call")[0]["key"]
    assert "description" not in untold.bodies("call")[0]


def test_the_call_is_committed_before_it_starts() -> None:
    seen: list[int] = []

    class Watching(MemoryEffects):
        def start(self, call):  # type: ignore[no-untyped-def]
            seen.append(len(journal.entries))
            super().start(call)

    from runs.host.memory import MemoryJournal

    journal = MemoryJournal()
    run("await ctx.call('echo', 1); await ctx.call('echo', 2)", journal=journal, effects=Watching)
    assert seen == [1, 3]


@pytest.mark.parametrize("tool", ["undefined", "''", "5", "null", "{}", "Symbol('x')"])
def test_a_call_without_the_name_of_a_tool_is_invalid_input(tool: str) -> None:
    assert output(f"return await ctx.call({tool}).catch((e) => e.code)") == "invalid-input"


def test_a_failure_is_an_actionerror_with_all_its_facts() -> None:
    body = """
      try { await ctx.call('boom', {code: 'no-funds', message: 'not enough', detail: {need: 5}, retryable: true}) }
        catch (e) {
        return [e instanceof ActionError, e instanceof Error, e.name, e.code, e.message, e.detail, e.retryable,
          e.callSeq, e.tool, String(e), e.stack];
      }
    """
    assert output(body) == [
        True,
        True,
        "ActionError",
        "no-funds",
        "not enough",
        {"need": 5},
        True,
        1,
        "boom",
        "ActionError: not enough",
        "    at ctx.call (workflow.js:3)\n",
    ]


def test_parallel_resolves_with_all_values_in_order() -> None:
    assert output("return await ctx.parallel([() => ctx.call('echo', 1), async () => 2, () => 3])", seed=3) == [1, 2, 3]
    assert output("return await ctx.parallel([])") == []


def test_parallel_rejects_with_the_first_failure_and_the_others_go_on() -> None:
    body = """
      const seen = [];
      const slow = (ms, v) => async () => { seen.push(await ctx.call('slow', {ms, v})) };
      try { await ctx.parallel([slow(50, 'a'), () => ctx.call('boom', {ms: 20, message: 'first'}),
        () => ctx.call('boom', {ms: 30, message: 'second'}), slow(10, 'b')]) }
      catch (e) { await ctx.sleep(100); return [e.message, seen] }
    """
    assert output(body, effects=TimedEffects) == ["first", ["b", "a"]]


def test_parallel_settled_tells_of_each() -> None:
    body = """
      const all = await ctx.parallelSettled([() => ctx.call('echo', 1), () => ctx.call('boom'),
        () => { throw new Error('sync') }, () => 4]);
      return all.map((o) => [o.status, o.value === undefined ? null : o.value, o.reason ? o.reason.message : null]);
    """
    assert output(body) == [
        ["fulfilled", 1, None],
        ["rejected", None, "it broke"],
        ["rejected", None, "sync"],
        ["fulfilled", 4, None],
    ]


def test_c1_a_race_gives_the_fast_one_on_both_passes_and_echo_runs_once() -> None:
    body = """
      const winner = await Promise.race([ctx.call('slow', {ms: 900, v: 'slow'}), ctx.call('slow', {ms: 50,
        v: 'fast'})]);
      const echoed = await ctx.call('echo', winner);
      await ctx.sleep(60000);
      return [winner, echoed];
    """
    tools = Tools()
    driven = run(body, tool=tools, effects=TimedEffects)
    assert driven.output == ["fast", "fast"]
    assert driven.parks == 1
    assert [call.tool for call in tools.seen].count("echo") == 1
    assert len(driven.bodies("result")) == 3
    replays_identically(script(body), driven)


def test_c3_two_branches_that_make_the_same_call_keep_their_own_values() -> None:
    body = """
      const branch = async (ms) => { await ctx.call('slow', {ms}); return await ctx.call('tick', {}) };
      const both = await ctx.parallel([() => branch(80), () => branch(10)]);
      await ctx.sleep(60000);
      return both;
    """
    driven = run(body, effects=TimedEffects)
    assert driven.output == [2, 1]
    replays_identically(script(body), driven)


def test_c4_equal_calls_in_a_row_are_never_answered_from_the_first() -> None:
    body = (
        "const all = []; for (let i = 0; i < 5; i++) all.push(await ctx.call('tick', {})); await ctx.sleep(1000);"
        " return all"
    )
    assert output(body) == [1, 2, 3, 4, 5]


def test_c5_after_a_crash_only_the_call_without_a_result_runs_again() -> None:
    source = script("return await ctx.parallel([1, 2, 3].map((v) => () => ctx.call('echo', v)))")
    live = drive(source)
    tools = Tools()
    resumed = drive(source, journal=cut(live.journal, 3), tool=tools)
    assert resumed.output == [1, 2, 3]
    assert len(tools.seen) == 1
    assert [body.get("reexecuted", False) for body in resumed.bodies("result")] == [False, False, True]


def test_c34_a_call_that_nobody_awaits_is_finished_and_journaled_before_the_run_ends() -> None:
    driven = run(
        "ctx.call('slow', {ms: 500, v: 'kept'}); ctx.call('tx.echo', 2); ctx.sleep(5000); return 'early'",
        effects=TimedEffects,
    )
    assert driven.output == "early"
    assert sorted(body["output"] if isinstance(body["output"], int) else 0 for body in driven.bodies("result")) == [
        0,
        2,
    ]
    assert driven.bodies("fired") == []
    assert driven.journal.rounds[-1].ending is driven.outcome


def test_calls_left_behind_are_finished_after_a_crash_between_the_end_of_main_and_their_results() -> None:
    source = script("ctx.call('echo', 1); ctx.call('echo', 2); return 'early'")
    live = drive(source)
    for rounds in range(len(live.journal.rounds)):
        resumed = drive(source, journal=cut(live.journal, rounds))
        assert resumed.output == "early"
        assert sorted(body["callSeq"] for body in resumed.bodies("result")) == [1, 2]
        is_sound(resumed.journal.entries)


def test_a_transactional_call_is_committed_with_its_result() -> None:
    driven = run("return [await ctx.call('tx.echo', 1), await ctx.call('tx.boom').catch((e) => e.message)]")
    assert driven.output == [1, "it broke"]
    assert driven.kinds() == ["call", "result", "call", "result"]


def test_a_chain_of_transactional_calls_can_be_cancelled() -> None:
    from runs.host import Control

    control = Control()

    def tool(call):  # type: ignore[no-untyped-def]
        if call.call_seq == 5:
            control.cancel = "enough"
        return Tools()(call)

    driven = run("for (;;) await ctx.call('tx.echo', 1)", tool=tool, control=control)
    assert type(driven.outcome).__name__ == "Canceled"
    assert len(driven.bodies("result")) == 5


def test_an_uncaught_failure_of_a_thunk_names_its_own_call() -> None:
    failed = error("await ctx.parallel([\n () => ctx.call('echo', 1),\n () => ctx.call('boom')])")
    assert (failed["code"], failed["tool"], failed["callSeq"], failed["line"]) == ("boom", "boom", 2, 4)
