"""The two tables of the specification, a test for each row, on the database: what each ctx method does, and which
fields each kind of entry carries. Each script runs live, parks where it must, and replays to the same."""

from typing import Any

import pytest
from cases.engines import BOTH
from cases.here import begun, drain, due
from cases.installation import Installation, entries, look
from cases.replaying import assert_replay_agrees, assert_whole

from journal.entries import Kind
from runs import signals
from runs.agents.registry import registered_agents
from runs.lifecycle import Status
from runs.models import Run

pytestmark = BOTH
RUNNING = False
CHILD = "export default async (input, ctx) => { if (input === 'bad') throw new Error('bad'); return input }"


@pytest.fixture(autouse=True)
def _nothing_else_is_queued(house: Installation) -> None:
    Run.objects.filter(finished_at=None).update(
        status=Status.CANCELED, lease_until=None, wake_at=None, finished_at="2020-01-01T00:00Z"
    )


def ended(run: Run) -> Run:
    """It succeeded, its journal is whole, and a replay of it says the same."""
    found = look(run)
    assert found.status == Status.SUCCEEDED, found.error
    assert_whole(found)
    assert_replay_agrees(found)
    return found


def output(body: str, **fields: Any) -> Any:
    return ended(begun(body, **fields)).output


def bodies(run: Run, *kinds: str) -> list[dict[str, Any]]:
    return [entry.body for entry in entries(run) if entry.kind in kinds]


# The methods of ctx


def test_ctx_input_and_ctx_run_id(house: Installation) -> None:
    run = begun("return [input, ctx.input, ctx.runId]", input={"a": [1, None]})
    assert ended(run).output == [{"a": [1, None]}, {"a": [1, None]}, run.pk]


def test_ctx_call(house: Installation) -> None:
    run = begun("return await ctx.call('echo', {v: 1}, {description: 'Saying one'})")
    assert ended(run).output == 1
    (call,) = bodies(run, "call")
    assert call["description"] == "Saying one"
    assert "Saying" not in call["key"]


@pytest.mark.parametrize("name", ["delegate", "agent"])
def test_ctx_delegate_and_ctx_agent(house: Installation, name: str) -> None:
    run = begun(f"""const good = await ctx.{name}({{script: {CHILD!r}, input: 7}});
        try {{ await ctx.{name}({{script: {CHILD!r}, input: 'bad'}}) }}
        catch (e) {{
            return [good, e instanceof ActionError, e.code, e.message, e.retryable, e.callSeq, e.childRunId]
        }}""")
    first, second = Run.objects.filter(parent=run).order_by("parent_call_seq")
    assert (first.kind, second.kind) == ("workflow", "workflow")
    assert ended(run).output == [7, True, "workflow-error", "Error: bad", False, 2, second.pk]


def test_ctx_delegate_of_a_registered_agent(house: Installation) -> None:
    def doubles(n: int) -> int:
        return 2 * n

    with registered_agents(doubles=doubles):
        run = begun("return await ctx.agent({agent: 'doubles', input: {n: 4}})")
    assert ended(run).output == 8
    assert Run.objects.get(parent=run).kind == "agent"


def test_ctx_parallel(house: Installation) -> None:
    calls = "[1, 2, 3].map((v) => () => ctx.call('echo', {v}))"
    assert output(f"return await ctx.parallel({calls})") == [1, 2, 3]
    broken = "[() => ctx.call('echo', {v: 1}), () => ctx.call('no such tool')]"
    assert output(f"return await ctx.parallel({broken}).catch((e) => e.code)") == "unknown-tool"


def test_ctx_parallel_settled(house: Installation) -> None:
    broken = "[() => ctx.call('echo', {v: 1}), () => ctx.call('no such tool')]"
    told = output(f"return (await ctx.parallelSettled({broken})).map((o) => [o.status, o.value ?? o.reason.code])")
    assert told == [["fulfilled", 1], ["rejected", "unknown-tool"]]


def test_ctx_step(house: Installation) -> None:
    run = begun("return await ctx.step('Greet', () => ctx.call('echo', {v: 'hello'}))")
    assert ended(run).output == "hello"
    assert [body["phase"] for body in bodies(run, "step")] == ["start", "end"]
    assert [(step["label"], step["status"]) for step in look(run).plan["steps"]] == [("Greet", "done")]


def test_ctx_plan(house: Installation) -> None:
    run = begun("await ctx.plan({title: 'All', steps: ['One', {id: 'b', label: 'Two', status: 'skipped'}]})")
    steps = ended(run).plan["steps"]
    assert look(run).plan["title"] == "All"
    assert [(step["label"], step["status"]) for step in steps] == [("One", "pending"), ("Two", "skipped")]


@pytest.mark.parametrize("length", ["60000", "ctx.minutes(1)", "ctx.hours(1)"])
def test_ctx_sleep_ctx_minutes_and_ctx_hours(house: Installation, length: str) -> None:
    run = begun(f"await ctx.sleep({length}); return Number({length})")
    assert (run.status, run.worker) == (Status.WAITING, "")
    (timer,) = bodies(run, "timer")
    slept = timer["wakeAt"] - entries(run, "timer")[0].at
    assert slept == timer["ms"]
    Run.objects.filter(pk=run.pk).update(wake_at="2020-01-01T00:00Z")
    parked_again(run)
    assert (timer["ms"], bodies(run, "fired")) == ({"ctx.hours(1)": 3_600_000}.get(length, 60_000), [])


def parked_again(run: Run) -> None:
    """A clock that woke it too early does no harm: its timer is not due."""
    due(run)
    drain()
    assert look(run).status == Status.WAITING


def test_ctx_wait_for_event(house: Installation) -> None:
    run = begun("return await ctx.waitForEvent({signal: 'approved'}, {timeout: 60000, label: 'Sign-off'})")
    assert run.status == Status.WAITING
    assert signals.send(run.pk, "approved", {"by": "Ana"}).outcome == "delivered"
    drain()
    assert ended(run).output == {"signal": "approved", "payload": {"by": "Ana"}}
    assert output("return await ctx.waitForEvent({}, {timeout: 0})") is None


def test_ctx_continue_as_new(house: Installation) -> None:
    run = begun("if (input === null) { await ctx.continueAsNew({n: 1}); await ctx.call('echo', 'never') } return input")
    successor = Run.objects.get(continued_from=run)
    assert (ended(successor).output, look(run).continued_as.pk) == ({"n": 1}, successor.pk)
    assert bodies(run, "call") == []


def test_ctx_now(house: Installation) -> None:
    run = begun("return [await ctx.now(), await ctx.now()]")
    assert ended(run).output == [body["value"] for body in bodies(run, "now")]


def test_ctx_log(house: Installation) -> None:
    run = begun("await ctx.log('warn', 'careful', {a: 1})")
    ended(run)
    (line,) = bodies(run, "log")
    assert (line["level"], line["message"], line["data"]) == ("warn", "careful", {"a": 1})


def test_ctx_progress(house: Installation) -> None:
    run = begun("ctx.progress({fraction: 0.5, label: 'half'}); await ctx.sleep(60000)")
    assert run.progress == {"fraction": 0.5, "label": "half"}
    assert {entry.kind for entry in entries(run)} == {"timer"}, "it is not journaled"


# The kinds of entry: the fields that a row names, and no others but `key` and what is documented in journal/bodies


EVERYTHING = f"""
await ctx.plan({{title: 'All', steps: ['One']}});
await ctx.step('One', () => ctx.call('echo', {{v: 1}}, {{description: 'Saying one'}}));
await ctx.call('no such tool', {{}}).catch(() => 0);
await ctx.delegate({{script: {CHILD!r}, input: 7, title: 'Kid'}});
await ctx.sleep(1);
await ctx.waitForEvent({{signal: 'a'}}, {{label: 'Sign-off', timeout: 60000}});
await ctx.waitForEvent({{}}, {{timeout: 0}});
await ctx.now();
await ctx.log('info', 'line', [1]);
"""


@pytest.fixture(scope="module")
def everything(house: Installation) -> Run:
    run = begun(EVERYTHING)
    signals.send(run.pk, "a", {"by": "Ana"})
    drain()
    return ended(run)


FIELDS = {
    "call": [{"op", "tool", "input", "line", "description"}, {"op", "tool", "input", "line"},
             {"op", "scriptSha256", "input", "title", "childRunId", "line"}],
    "result": [{"status", "output"}, {"status", "error"}, {"status", "output"}],
    "timer": [{"wakeAt", "ms", "line"}],
    "fired": [{"lateMs"}],
    "wait": [{"waitId", "match", "timeout", "timeoutAt", "label", "line"},
             {"waitId", "match", "timeout", "timeoutAt", "line"}],
    "event": [{"waitId", "signal", "payload"}, {"waitId", "timedOut"}],
    "now": [{"value"}],
    "log": [{"level", "message", "data"}],
    "step": [{"stepId", "label", "phase"}, {"stepId", "label", "phase", "succeeded"}],
    "plan": [{"plan"}],
}  # fmt: skip


def test_these_are_all_kinds() -> None:
    assert set(FIELDS) == set(Kind.values)


@pytest.mark.parametrize("kind", FIELDS)
def test_an_entry_of_kind(everything: Run, kind: str) -> None:
    found = bodies(everything, kind)
    assert [set(body) - {"kind", "callSeq", "key"} for body in found] == FIELDS[kind]
    assert all(body["kind"] == kind and body["callSeq"] >= 1 and body["key"] for body in found)


def test_a_call_and_its_result_share_a_call_seq_and_a_key(everything: Run) -> None:
    calls, results = bodies(everything, "call"), bodies(everything, "result")
    assert [(body["callSeq"], body["key"]) for body in calls] == [(body["callSeq"], body["key"]) for body in results]
    assert [body["op"] for body in calls] == ["tool", "tool", "agent"]
    assert calls[2]["childRunId"] == Run.objects.get(parent=everything).pk
    assert [body["status"] for body in results] == ["succeeded", "failed", "succeeded"]
    assert (results[1]["error"]["code"], results[1]["error"]["retryable"]) == ("unknown-tool", False)


def test_a_wait_and_its_event_share_a_wait_id(everything: Run) -> None:
    waits, events = bodies(everything, "wait"), bodies(everything, "event")
    assert [body["waitId"] for body in waits] == [body["waitId"] for body in events]
    assert (waits[0]["match"], waits[0]["label"], events[0]["payload"]) == ({"signal": "a"}, "Sign-off", {"by": "Ana"})
    assert "payload" not in events[1], "it timed out"
