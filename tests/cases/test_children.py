"""Children, agents and successors on rows: who answers whom, what is inherited, and what a cancel reaches."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from cases.engines import BOTH
from cases.here import begun, drain, inbox
from cases.installation import Installation, entries, look, script
from cases.replaying import assert_replay_agrees
from cases.together import meeting, together
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from runs import cancelling, clock, library, queue, signals
from runs.agents import AgentContext
from runs.agents.registry import registered_agents
from runs.cancelling import cancel
from runs.codes import Code
from runs.held import HeldRun
from runs.host import Continued, NewChild, Parked, Round, Succeeded
from runs.lifecycle import Move, Status, move
from runs.models import Message, Run
from runs.starting import start
from runs.words import status_words
from runs.workers.pool import Pool
from runs.workers.resident import Resident

pytestmark = BOTH
RUNNING = False
SLEEPS = "export default (input, ctx) => ctx.sleep(600000)"
WAITS = "export default (input, ctx) => ctx.waitForEvent({})"


@pytest.fixture(autouse=True)
def _nothing_else_is_queued(house: Installation) -> Iterator[None]:
    Run.objects.filter(finished_at=None).update(
        status=Status.CANCELED, lease_until=None, wake_at=None, finished_at="2020-01-01T00:00Z"
    )
    with override_settings(DAYBOOK=settings.DAYBOOK | {"depth_limit": 3, "fanout_limit": 4}):
        yield


def delegate(script: str, **more: Any) -> str:
    return f"ctx.delegate({json.dumps({'script': script} | more)})"


def caught(asks: str) -> Any:
    """The facts of the error that a parent catches, once everything has ended."""
    run = begun(f"try {{ return await {asks} }} catch (e) {{ return [e.code, e.message, e.callSeq, e.childRunId] }}")
    found = look(run)
    assert found.status == Status.SUCCEEDED, found.error
    assert_replay_agrees(found)
    return found.output


def children(run: Run) -> list[Run]:
    return list(Run.objects.filter(parent=run.pk).order_by("parent_call_seq", "created_at"))


def test_a_child_is_a_run_of_its_parents_tree_and_answers_its_call(house: Installation) -> None:
    run = begun(f"return await {delegate('export default (i) => i.x * 2', input={'x': 21}, title='Double')}",
                queue="background", priority=3)  # fmt: skip
    (child,) = children(run)
    assert run.output == 42
    assert (child.title, child.input, child.origin, child.kind) == ("Double", {"x": 21}, "delegate", "workflow")
    assert (child.root_id, child.depth, child.parent_call_seq) == (run.pk, 1, 1)
    assert (child.queue, child.priority, child.chain) == ("background", 3, child.pk)
    assert entries(run, "call")[0].body["childRunId"] == child.pk
    (message,) = Message.objects.filter(run=run)
    assert message.taken_seq == entries(run, "result")[0].seq
    assert_replay_agrees(run)


def test_a_child_spawned_in_a_step_carries_the_step(house: Installation) -> None:
    one = delegate("export default (i, ctx) => i ?? ctx.continueAsNew(1)")
    run = begun(f"""await ctx.parallel(['A', 'B'].map((label) => () => ctx.step(label, async () => {{
        await ctx.log('info', label); return {one} }}))); await {delegate("export default () => 1")}""")
    assert run.status == Status.SUCCEEDED, run.error
    a, b = {"id": "s1", "label": "A"}, {"id": "s2", "label": "B"}
    found = [(child.parent_call_seq, child.continued_from_id is None, child.parent_step) for child in children(run)]
    first, second, third = (body.body["callSeq"] for body in entries(run, "call"))
    assert found == [(first, True, a), (first, False, a), (second, True, b), (second, False, b), (third, True, None)]
    assert [call.body.get("step") for call in entries(run, "call")] == [a, b, None]
    assert_replay_agrees(run)


def test_an_uncaught_failure_of_a_child_names_it_through_all_generations(house: Installation) -> None:
    lowest = "export default () => { throw new Error('x') }"
    run = begun(f"return await {delegate(f'export default (i, ctx) => {delegate(lowest)}')}")
    (child,) = children(run)
    (grandchild,) = children(child)
    assert (run.error["code"], run.error["childRunId"], run.error["callSeq"]) == ("workflow-error", child.pk, 1)
    assert (child.error["childRunId"], grandchild.error.get("childRunId")) == (grandchild.pk, None)
    assert_replay_agrees(run)
    assert_replay_agrees(child)


def test_a_child_that_fails_is_a_catchable_error_with_its_id(house: Installation) -> None:
    code, message, call_seq, child = caught(delegate("export default () => { throw new Error('x') }"))
    assert (code, message, call_seq) == ("workflow-error", "Error: x", 1)
    assert Run.objects.get(pk=child).status == Status.FAILED


@pytest.mark.parametrize(
    ("asks", "code", "words"),
    [
        ("ctx.delegate({script: 'export default () => Date()'})", "lint", "line 1"),
        ("ctx.delegate({script: 'no script'})", "lint", "line 1"),
        ("ctx.delegate({script: 'x'.repeat(250000) + '\\u00e9'.repeat(9000)})", "source-too-large", "limit"),
        ("ctx.delegate({agent: 'nobody'})", "unknown-agent", "nobody"),
        ("ctx.delegate({workflow: 'nothing@3'})", "unknown-script", "nothing"),
        ("ctx.delegate({script: 'export default () => 1', output: {type: 'nonsense'}})", "invalid-input", "Schema"),
    ],
)
def test_a_child_that_cannot_be_made_is_a_catchable_error(
    house: Installation, asks: str, code: str, words: str
) -> None:
    told = caught(asks)
    assert (told[0], told[2], told[3]) == (code, 1, None)
    assert words in told[1]


def test_output_schema_names_the_child(house: Installation) -> None:
    told = caught(delegate("export default () => ({n: 'five'})", output={"properties": {"n": {"type": "number"}}}))
    assert told[0] == "output-schema"
    assert "$.n" in told[1]
    assert Run.objects.get(pk=told[3]).output == {"n": "five"}


def test_depth_limit_holds_in_the_last_generation(house: Installation) -> None:
    source = "export default () => 1"
    for _ in range(4):
        source = f"export default async (i, ctx) => {{ try {{ return 1 + await {delegate(source)} }} catch (e) {{ return e.code }} }}"  # noqa: E501
    run = begun(f"return await {delegate(source)}")
    assert run.output == "111" + "depth-limit" or run.output.endswith("depth-limit")
    assert max(Run.objects.filter(root=run.pk).values_list("depth", flat=True)) == 3


def test_fanout_limit_is_of_one_run(house: Installation) -> None:
    one = delegate("export default () => 1")
    run = begun(f"""const all = await ctx.parallelSettled([1, 2, 3, 4, 5].map(() => () => {one}));
        return all.map((o) => o.value || o.reason.code)""")
    assert run.output == [1, 1, 1, 1, "fanout-limit"]
    assert len(children(run)) == 4


def test_a_named_script_is_a_child_of_that_version(house: Installation) -> None:
    library.save("kid", "export default () => 1")
    library.save("kid", "export default () => 2")
    run = begun("return [await ctx.delegate({workflow: 'kid'}), await ctx.delegate({workflow: 'kid@1'})]")
    assert run.output == [2, 1]
    assert children(run)[0].title == "kid"


def ends_of_a_child(house: Installation) -> dict[str, Any]:
    def late(child: Run) -> None:
        Run.objects.filter(pk=child.pk).update(deadline_at=timezone.now())
        clock.tick(dead_workers=False)

    def dies(child: Run) -> None:
        with override_settings(DAYBOOK=settings.DAYBOOK | {"max_crashes": 1, "lease_seconds": 0.001}):
            signals.send(child.pk, "a")
            queue.claim("gone", only=child.pk)
            clock.tick()

    def watchdog(child: Run) -> None:
        signals.send(child.pk, "a")
        (held,) = queue.claim("here", only=child.pk)
        Resident(held).fail(Code.FUEL_EXHAUSTED, "x")

    return {
        "wall-timeout": late,
        "interrupted": dies,
        "fuel-exhausted": watchdog,
        "canceled": lambda child: cancel(child.pk),
    }


@pytest.mark.parametrize("code", ["wall-timeout", "interrupted", "fuel-exhausted", "canceled"])
def test_a_parent_is_told_however_its_child_ends(house: Installation, code: str) -> None:
    """By the clock, the watchdog or a person: else it would wait for ever."""
    run = begun(f"try {{ await {delegate(WAITS)} }} catch (e) {{ return e.code }}")
    ends_of_a_child(house)[code](children(run)[0])
    drain()
    assert look(run).output == code


def test_the_end_of_a_child_and_the_park_of_its_parent_never_miss_each_other(house: Installation) -> None:
    for _ in range(15):
        run = begun(f"return await ctx.parallel([() => {delegate(WAITS)}, () => ctx.waitForEvent({{}})])")
        (child,) = children(run)
        signals.send(child.pk, "go", 1)
        signals.send(run.pk, "go", 2)
        together(_advance_one, _advance_one)
        drain()
        found = look(run)
        assert found.status == Status.SUCCEEDED, (found.status, found.wait)
        assert [part["payload"] for part in found.output] == [1, 2]


@pytest.mark.parametrize("first", ["the end of the child", "the park of the parent"])
def test_an_end_that_commits_while_the_parent_parks_is_not_lost(house: Installation, first: str) -> None:
    """One of the two is on its way to its commit, its locks taken, when the other begins: either way the parent is
    queued again, and gets its answer."""
    run = start(script(f"return await {delegate('export default () => 7')}")).run
    (held,) = queue.claim("parent", only=run.pk)
    Resident(held).advance()
    (child,) = children(run)
    wait = look(run).wait
    move(Run.objects.filter(pk=run.pk), Move.WAKE)
    (parent,) = queue.claim("parent", only=run.pk)
    (worker,) = queue.claim("child", only=child.pk)

    def park() -> None:
        HeldRun(parent).commit(Round(ending=Parked(None, wait, frozenset())))

    def end() -> None:
        HeldRun(worker).commit(Round(ending=Succeeded(7)))

    meeting(*((end, park) if first == "the end of the child" else (park, end)))
    assert look(run).status == Status.QUEUED
    (told,) = inbox(run)
    assert told == {"ok": True, "value": 7, "childRunId": child.pk}
    drain()
    assert look(run).output == 7
    assert len(entries(run, "result")) == 1


def _advance_one() -> None:
    pool = Pool()
    for claimed in queue.claim("w"):
        pool.advance(claimed)


# Cancelling


def test_cancel_reaches_all_below_from_the_top_down(house: Installation) -> None:
    middle = f"export default (i, ctx) => {delegate(SLEEPS)}"
    run = begun(f"await ctx.parallel([() => {delegate(middle)}, () => {delegate(SLEEPS)}])")
    tree = Run.objects.filter(root=run.pk)
    assert tree.count() == 4
    done = cancel(run.pk, "enough").done
    assert done[0] == run.pk
    assert set(done) == set(tree.values_list("pk", flat=True))
    assert {(found.status, found.error["message"][:16]) for found in tree} == {(Status.CANCELED, "canceled: enough")}
    drain()
    assert not Message.objects.filter(run=run).exists()


def test_cancel_reaches_what_lives_below_a_run_that_has_ended(house: Installation) -> None:
    middle = f"export default (i, ctx) => {{ {delegate(SLEEPS)}; return 1 }}"
    run = begun(f"await {delegate(middle)}; await ctx.sleep(600000)")
    cancel(run.pk)
    assert not Run.objects.filter(root=run.pk, finished_at=None).exists()


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_cancel_that_dies_on_its_way_is_made_good_by_the_workers(
    house: Installation, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    middle = f"export default (i, ctx) => {delegate(SLEEPS)}"
    run = begun(f"await ctx.parallel([() => {delegate(middle)}, () => {delegate(SLEEPS)}])")
    stop, stopped = cancelling._cancel, list[str]()

    def dies(pk: str, *how: Any) -> None:
        if len(stopped) == at:
            raise KeyboardInterrupt
        stopped.append(pk)
        stop(pk, *how)

    monkeypatch.setattr(cancelling, "_cancel", dies)
    with pytest.raises(KeyboardInterrupt):
        cancel(run.pk, "enough")
    drain()
    tree = Run.objects.filter(root=run.pk)
    assert {(found.status, found.error["message"][:16]) for found in tree} == {(Status.CANCELED, "canceled: enough")}


def test_a_child_made_after_the_cancel_was_asked_for_never_begins(house: Installation) -> None:
    run = begun("await ctx.waitForEvent({})")
    signals.send(run.pk, "a")
    (held,) = queue.claim("here", only=run.pk)
    cancel(run.pk, "enough")
    HeldRun(held).commit(Round(children=[NewChild("0" * 26, 9, None, source="export default () => 1")]))
    assert Run.objects.get(pk="0" * 26).status == Status.CANCELED
    Run.objects.filter(pk="0" * 26).delete()


# Successors

CHAIN = """const { n, got } = input ?? { n: 0, got: [] }; const e = await ctx.waitForEvent({signal: 'a'});
    got.push(e.payload); if (n < 2) await ctx.continueAsNew({ n: n + 1, got }); return got"""


def test_c8_a_chain_of_successors_keeps_what_it_is_and_its_inbox(house: Installation) -> None:
    run = begun(CHAIN, title="Chain", queue="background", priority=2, budget={"wallSeconds": 5000})
    assert [signals.send(run.pk, "a", number, id=f"i{number}").outcome for number in (1, 2)] == ["delivered", "kept"]
    signals.send(run.pk, "b", "other")
    drain()
    second = Run.objects.get(continued_from=run.pk)
    third = Run.objects.get(continued_from=second.pk)
    assert signals.send(run.pk, "a", 2, id="i2").outcome == "repeated"
    told = signals.send(run.pk, "a", 3, id="i3")
    assert (told.outcome, told.run_id) == ("delivered", third.pk)
    drain()
    chain = [look(one) for one in (run, second, third)]
    assert [one.output for one in chain] == [None, None, [1, 2, 3]]
    assert {(one.title, one.queue, one.priority, one.source_id, one.chain, one.root_id) for one in chain} == {
        ("Chain", "background", 2, run.source_id, run.pk, run.pk)
    }
    assert third.budget == run.budget
    assert third.deadline_at - third.created_at < timedelta(seconds=5001)
    assert inbox(third) == ["other"]
    assert chain[0].continued_as.pk == second.pk
    assert [one.successor for one in chain] == [second.pk, third.pk, ""]
    assert status_words(chain[0]) == f"Continued as {second.pk}"


def test_the_last_of_a_chain_answers_the_parent(house: Installation) -> None:
    chain = "export default async (i, ctx) => { if (i < 3) await ctx.continueAsNew(i + 1); return 'end ' + i }"
    run = begun(f"return await {delegate(chain, input=1, title='Kid')}")
    assert run.output == "end 3"
    assert [child.title for child in children(run)] == ["Kid"] * 3
    assert {child.parent_call_seq for child in children(run)} == {1}
    assert Message.objects.filter(run=run).count() == 1
    assert len(entries(run, "result")) == 1


def test_the_first_id_of_a_chain_cancels_its_last_and_what_any_of_them_started(house: Installation) -> None:
    run = begun(f"if (input === null) {{ {delegate(SLEEPS)}; await ctx.continueAsNew(1) }} await ctx.sleep(600000)")
    last = Run.objects.get(continued_from=run.pk)
    assert set(cancel(run.pk).done) == {last.pk, children(run)[0].pk}


def test_a_run_that_is_to_be_canceled_has_no_successor(house: Installation) -> None:
    run = begun("await ctx.waitForEvent({})")
    signals.send(run.pk, "a")
    (held,) = queue.claim("here", only=run.pk)
    cancel(run.pk)
    HeldRun(held).commit(Round(ending=Continued(1)))
    assert look(run).status == Status.CANCELED
    assert not Run.objects.filter(continued_from=run.pk).exists()


# Agents


def test_an_agent_is_a_run_of_its_own_sync_or_async(house: Installation) -> None:
    def sync(x: int, context: AgentContext) -> dict[str, Any]:
        context.progress(0.5, "half")
        return {"x": x, "run": context.run_id}

    async def later(x: int) -> int:
        return x + 1

    with registered_agents(sync=sync, later=later):
        run = begun("return [await ctx.delegate({agent: 'sync', input: {x: 1}}), "
                    "await ctx.agent({agent: 'later', input: {x: 1}})]")  # fmt: skip
    first, second = children(run)
    assert run.output == [{"x": 1, "run": first.pk}, 2]
    assert (first.kind, first.agent, first.title, first.source_id) == ("agent", "sync", "sync", None)
    assert first.progress == {"fraction": 0.5, "label": "half"}
    assert second.status == Status.SUCCEEDED


@pytest.mark.parametrize(
    ("given", "code"), [("{x: 'no'}", "invalid-input"), ("{}", "invalid-input"), ("{x: 1}", "RuntimeError")]
)
def test_an_agent_that_fails_is_a_catchable_error(house: Installation, given: str, code: str) -> None:
    def breaks(x: int) -> None:
        raise RuntimeError("broken")

    with registered_agents(breaks=breaks):
        told = caught(f"ctx.delegate({{agent: 'breaks', input: {given}}})")
    assert Run.objects.get(pk=told[3]).error_code == told[0]
    if code == "invalid-input":
        assert told[0] == code
    else:
        assert "broken" in told[1]


def test_an_agent_that_is_canceled_is_told_and_not_waited_for(house: Installation) -> None:
    from threading import Event

    began, ended = Event(), Event()

    def slow(context: AgentContext) -> None:
        began.set()
        context.cancel.wait(30)
        ended.set()

    with registered_agents(slow=slow):
        run = begun_without_draining("await ctx.delegate({agent: 'slow', input: {}})")
        (child,) = children(run)

        def work() -> None:
            for claimed in queue.claim("w"):
                Pool().advance(claimed)

        def person() -> None:
            began.wait(30)
            cancel(run.pk, "enough")

        together(work, person)
    assert ended.wait(10)
    assert {found.status for found in Run.objects.filter(root=run.pk)} == {Status.CANCELED}
    assert look(child).error["message"].startswith("canceled: enough")


def begun_without_draining(body: str) -> Run:
    """Advanced once: its children are queued."""
    from runs.starting import start

    run = start(f"export default async function (input, ctx) {{\n{body}\n}}\n").run
    (held,) = queue.claim("here", only=run.pk)
    Pool().advance(held)
    return look(run)


def test_a_worker_that_stops_hands_its_agent_over(house: Installation) -> None:
    from threading import Event

    begun_once = Event()

    def slow(context: AgentContext) -> str:
        if begun_once.is_set():
            return "second"
        begun_once.set()
        context.cancel.wait(30)
        return "first"

    with registered_agents(slow=slow):
        run = begun_without_draining("return await ctx.delegate({agent: 'slow', input: {}})")
        (held,) = queue.claim("w")
        resident = Resident(held)

        def stop() -> None:
            begun_once.wait(30)
            resident.release_by(0)

        together(resident.advance, stop)
        assert look(held).status == Status.QUEUED
        drain()
    assert look(run).output == "second"
