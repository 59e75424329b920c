"""fork: a new run from one of the calls of another, which is only read."""

import pytest
from cases.replaying import assert_replay_agrees
from going import active, begun, calls, executed, go_on

from runs.errors import BadInput
from runs.models import Run
from runs.operations import fork

pytestmark = pytest.mark.django_db(transaction=True)
LOOP = "const all = []; for (let i = 1; i <= 3; i++) all.push(await ctx.call('note', {v: i})); return all"


def test_c41_fork_from_the_third_iteration_s_call() -> None:
    run = begun(LOOP, title="Three", input={"a": 1})
    before = list(run.journal.entries.values())
    done = fork(run.pk, 3)
    made = go_on(Run.objects.get(pk=done.run_id))
    assert executed == [1, 2, 3, 3]
    assert (made.status, made.output, made.origin, made.forked_from_id) == ("succeeded", [1, 2, 3], "fork", run.pk)
    assert (made.title, made.input, made.attempt, made.root_id, made.parent_id) == ("Three", {"a": 1}, 1, made.pk, None)
    assert calls(made) == [1, 2, 3]
    assert_replay_agrees(made)
    assert list(run.journal.entries.values()) == before
    again = Run.objects.get(pk=run.pk)
    assert (again.status, again.attempt, again.fence) == ("succeeded", 1, run.fence)


def test_the_call_can_be_given_another_result_which_is_marked_as_the_operator_s() -> None:
    run = begun("const v = await ctx.call('once', {v: 'x'}); return [v, await ctx.call('note', {v})]")
    made = go_on(Run.objects.get(pk=fork(run.pk, 1, result="given").run_id))
    assert (made.output, executed) == (["given", "given"], ["x", "given"])
    (given,) = [body for body in active(made) if body.get("origin") == "operator"]
    assert (given["kind"], given["callSeq"], given["output"]) == ("result", 1, "given")
    assert_replay_agrees(made)


def test_a_wait_can_be_given_its_answer_and_a_sleep_cannot() -> None:
    run = begun("const got = await ctx.waitForEvent({signal: 'go'}); await ctx.sleep(1); return got.payload")
    made = go_on(Run.objects.get(pk=fork(run.pk, 1, result={"ok": True}).run_id))
    assert made.output == {"ok": True}
    assert Run.objects.get(pk=run.pk).status == "waiting"
    with pytest.raises(BadInput, match="is a timer"):
        fork(made.pk, 2, result=1)


def test_the_same_key_makes_one_fork() -> None:
    run = begun(LOOP)
    first, second = fork(run.pk, 2, key="once"), fork(run.pk, 3, key="once")
    assert first.run_id == second.run_id
    assert fork(run.pk, 2, key="twice").run_id != first.run_id
    assert sorted(Run.objects.exclude(pk=run.pk).values_list("idempotency_key", flat=True)) == ["once", "twice"]


def test_a_dry_run_makes_no_run() -> None:
    run = begun(LOOP)
    done = fork(run.pk, 2, dry_run=True)
    assert [c.call_seq for c in done.replay.reused] == [1]
    assert [c.call_seq for c in done.replay.new] == [2]
    assert [c.call_seq for c in done.replay.orphans] == [2, 3]
    assert Run.objects.count() == 1


def test_a_fork_can_be_forked_and_rewound() -> None:
    run = begun(LOOP)
    first = go_on(Run.objects.get(pk=fork(run.pk, 2).run_id))
    second = go_on(Run.objects.get(pk=fork(first.pk, 3).run_id))
    assert (second.output, second.forked_from_id) == ([1, 2, 3], first.pk)
    assert_replay_agrees(second)
