"""ctx.step and ctx.plan: what they return, what they journal, and the checklist that people see."""

import pytest
from driving import Driven, cut, drive, output, replays_identically, run, script


def shown(driven: Driven) -> list[tuple[str, str]]:
    """The plan as the run's row has it at the end: label and status of each line."""
    plans = [round.plan for round in driven.journal.rounds if round.plan is not None]
    return [(step["label"], step["status"]) for step in plans[-1]["steps"]]


def test_a_step_returns_the_value_of_its_function() -> None:
    assert output("return [await ctx.step('a', () => 1), await ctx.step('b', async () => ctx.call('echo', 2))]") == [
        1,
        2,
    ]


def test_a_step_journals_its_start_and_its_end_under_one_callseq() -> None:
    driven = run("await ctx.step('Fetch', () => ctx.call('echo', 1))")
    start, end = driven.bodies("step")
    assert start.items() >= {"kind": "step", "callSeq": 1, "stepId": "s1", "label": "Fetch", "phase": "start"}.items()
    assert (
        end.items()
        >= {
            "kind": "step",
            "callSeq": 1,
            "stepId": "s1",
            "label": "Fetch",
            "phase": "end",
            "succeeded": True,
        }.items()
    )
    assert driven.kinds() == ["step", "call", "result", "step"]


@pytest.mark.parametrize(
    "fails",
    ["throw new Error('no')", "return Promise.reject(new Error('no'))", "return ctx.call('boom', {message: 'no'})"],
)
def test_a_step_that_fails_is_marked_and_throws_on(fails: str) -> None:
    driven = run(f"return await ctx.step('s', () => {{ {fails} }}).catch((e) => e.message)")
    assert driven.output == "no"
    end = driven.bodies("step")[-1]
    assert end["succeeded"] is False
    assert "no" in end["error"]
    assert shown(driven) == [("s", "failed")]


def test_a_step_ticks_the_line_of_the_plan_with_its_label_or_adds_one() -> None:
    driven = run(
        "await ctx.plan({title: 'T', steps: ['a', {id: 'x', label: 'b'}]}); await ctx.step('b', () => 1); await"
        " ctx.step('c', () => 1)"
    )
    assert shown(driven) == [("a", "pending"), ("b", "done"), ("c", "done")]
    assert [body["stepId"] for body in driven.bodies("step")] == ["x", "x", "s3", "s3"]


def test_two_lines_of_one_label_are_ticked_one_after_the_other() -> None:
    driven = run(
        "await ctx.plan(['a', 'a']); await ctx.step('a', () => 1); await ctx.step('a', () => { throw 1 }).catch(()"
        " => 0)"
    )
    assert shown(driven) == [("a", "done"), ("a", "failed")]


def test_a_line_stays_running_while_any_step_of_its_label_runs() -> None:
    body = "await ctx.parallel([() => ctx.step('s', () => ctx.sleep(10)), () => ctx.step('s', () => ctx.sleep(5000))])"
    driven = run(body)
    parked = next(round for round in driven.journal.rounds if type(round.ending).__name__ == "Parked")
    assert [step["status"] for step in parked.plan["steps"]] == ["running"]
    assert shown(driven) == [("s", "done")]


def test_when_the_run_ends_no_line_stays_running() -> None:
    assert shown(run("ctx.step('s', () => new Promise(() => {})); return 1")) == [("s", "skipped")]
    assert shown(run("ctx.step('s', () => new Promise(() => {})); throw new Error('x')")) == [("s", "failed")]


def test_a_plan_is_journaled_as_a_whole_each_time() -> None:
    driven = run(
        "await ctx.plan({steps: ['a']}); await ctx.plan({title: 'T', steps: [{id: 'i', label: 'b', status:"
        " 'skipped'}]})"
    )
    assert [body["plan"] for body in driven.bodies("plan")] == [
        {"title": None, "steps": [{"id": "s1", "label": "a", "status": "pending"}]},
        {"title": "T", "steps": [{"id": "i", "label": "b", "status": "skipped"}]},
    ]


@pytest.mark.parametrize(
    "plan",
    [
        "5",
        "null",
        "{}",
        "{steps: 5}",
        "{steps: [5]}",
        "{steps: [{}]}",
        "{steps: [{label: 'x', status: 'odd'}]}",
        "{steps: [{label: 'x', status: {}}]}",
        "[{id: 'a', label: 'x'}, {id: 'a', label: 'y'}]",
    ],
)
def test_a_plan_that_is_none_is_invalid_input_and_leaves_the_old_one(plan: str) -> None:
    driven = run(f"await ctx.plan(['old']); return await ctx.plan({plan}).catch((e) => e.code)")
    assert driven.output == "invalid-input"
    assert shown(driven) == [("old", "pending")]


def test_a_plan_that_is_too_large_leaves_the_old_one() -> None:
    driven = run(
        "await ctx.plan(['old']); const e = await ctx.plan(Array.from({length: 3000}, (_, i) => i +"
        " 'x'.repeat(150))).catch((e) => e); await ctx.step('new', () => 1); return e.code"
    )
    assert driven.output == "invalid-input"
    assert shown(driven) == [("old", "pending"), ("new", "done")]


@pytest.mark.parametrize("step", ["ctx.step('', () => 1)", "ctx.step(5, () => 1)", "ctx.step('x')", "ctx.step('x', 5)"])
def test_a_step_without_label_or_function_is_invalid_input(step: str) -> None:
    driven = run(f"return await {step}.catch((e) => e.code)")
    assert driven.output == "invalid-input"
    assert driven.journal.entries == []


def test_steps_survive_a_crash_at_any_commit() -> None:
    source = script(
        "const one = (l) => ctx.step(l, () => ctx.call('echo', l)); await ctx.plan(['a', 'b']); return [await one('a'),"
        " await ctx.parallel([() => one('b'), () => one('b')])]"
    )
    live = drive(source)
    for rounds in range(len(live.journal.rounds)):
        resumed = drive(source, journal=cut(live.journal, rounds))
        assert resumed.output == ["a", ["b", "b"]]
        assert len(resumed.bodies("step")) == 6
        replays_identically(source, resumed)
