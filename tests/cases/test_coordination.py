"""C21, C26 and C28: trees of runs on real workers that are killed, stopped, or told to cancel."""

import json

from cases.engines import BOTH
from cases.installation import Installation, entries, look
from helpers import alive, children, eventually, kill

from runs import signals
from runs.cancelling import cancel
from runs.lifecycle import TERMINAL, Status
from runs.models import Run

pytestmark = BOTH
ENVIRON = {"DAYBOOK_WORKERS": "3"}


def below(run: Run) -> list[Run]:
    return list(Run.objects.filter(root=run.pk).exclude(pk=run.pk).order_by("depth", "pk"))


def delegate(body: str) -> str:
    script = f"export default async function (input, ctx) {{ {body} }}"
    return f"ctx.delegate({json.dumps({'script': script})})"


def test_c21_a_parent_killed_right_after_it_made_a_child_has_one_child(house: Installation) -> None:
    """C21: the worker dies in and after the commit that makes the child: one child, reconnected, and executed once; its
    call twice only where it was out in that very worker when it died, and then it is told and has the same token."""
    for point in ("inside-commit", "after-commit", "before-park", "inside-park", "after-park"):
        child = delegate("return await ctx.call('tick', {})")
        run = house.run(f"await ctx.call('arm', {{point: '{point}'}}); return await {child}", title=point)
        times = house.succeeded(run).output
        (made,) = below(run)
        (result,) = entries(made, "result")
        assert house.counts(made) == {"tick": times}
        assert times == 1 or (times == 2 and result.body["reexecuted"])
        assert {execution.token for execution in house.executions(made)} == {f"{made.pk}:1"}
        assert entries(run, "call")[-1].body["childRunId"] == made.pk


def test_c21_a_child_killed_at_its_end_answers_once(house: Installation) -> None:
    for point in ("before-end", "inside-end", "after-end"):
        child = delegate(f"await ctx.call('arm', {{point: '{point}'}}); return 7")
        run = house.run(f"return await {child}", title=point)
        assert house.succeeded(run).output == 7
        assert len(entries(run, "result")) == 1


def test_c28_a_canceled_tree_ends_while_one_child_is_inside_a_tool(house: Installation) -> None:
    """C28: three levels; the whole tree ends; the late result is recorded, not delivered."""
    leaf = delegate("await ctx.call('slow_to_stop', {v: 'late'}); await ctx.call('tick', {})")
    run = house.run(f"await {delegate(f'await {leaf}')}")
    deepest = eventually(lambda: below(run)[1] if len(below(run)) == 2 else None)
    eventually(lambda: house.counts(deepest).get("slow_to_stop"))
    cancel(run.pk, "enough")
    for one in (run, *below(run)):
        assert house.ended(one).status == Status.CANCELED
        assert look(one).error["message"].startswith("canceled: enough")
    (late,) = eventually(lambda: entries(deepest, "result"))
    assert (late.body["late"], late.body["output"]) == (True, "late")
    assert "tick" not in house.counts(deepest)


def test_a_resident_run_hears_a_signal_while_its_tool_works(house: Installation) -> None:
    run = house.run("""return await Promise.race([ctx.call('gate', {name: 'never'}),
        ctx.waitForEvent({signal: 'stop'}).then((e) => e.payload)])""")
    eventually(lambda: house.counts(run).get("gate"))
    assert signals.send(run.pk, "stop", "now").outcome == "delivered"
    eventually(lambda: entries(run, "event"))
    house.open("never")
    assert house.succeeded(run).output == "now"


def test_an_agent_whose_worker_is_killed_begins_anew_and_answers_once(house: Installation) -> None:
    run = house.run("return await ctx.delegate({agent: 'worker', input: {gate: 'killed', v: 5}})")
    made = eventually(lambda: below(run)[0] if below(run) else None)
    eventually(lambda: house.counts(made).get("worker"))
    house.kill_holder(made)
    house.open("killed")
    assert house.succeeded(run).output == 5
    assert house.counts(made) == {"worker": 2}
    assert len({execution.token for execution in house.executions(made)}) == 1


def test_c26_a_worker_that_is_told_to_stop_hands_over_a_tree(house: Installation) -> None:
    """C26: a waiting root, a child in a tool and one that is an agent; nothing is owned by the dead."""
    run = house.run(f"""return await ctx.parallel([
        () => ctx.delegate({{agent: 'worker', input: {{gate: 'c26', v: 1}}}}),
        () => {delegate("return await ctx.call('gate', {name: 'c26'})")}])""")
    eventually(lambda: len(below(run)) == 2 and all(house.executions(one) for one in below(run)))
    old = house.cluster
    assert old is not None
    processes = [old.pid, *children(old.pid)]
    house.cluster = house.start("qcluster", "--skip-checks")
    house.stop(old)
    eventually(lambda: not any(map(alive, processes)))
    kill(*processes)
    house.open("c26")
    assert house.succeeded(run).output == [1, "c26"]
    assert not Run.objects.filter(root=run.pk).exclude(status__in=TERMINAL).exists()
