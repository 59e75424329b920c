"""rewind: a call and all after it are executed again, as new calls."""

import pytest
from cases.replaying import assert_replay_agrees
from going import begun, calls, executed, go_on

from runs.errors import BadInput, NotPossible
from runs.models import Run
from runs.operations import fork, rewind
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
LOOP = "const all = []; for (let i = 1; i <= 3; i++) all.push(await ctx.call('note', {v: i})); return all"


def test_the_call_and_all_after_it_are_executed_again() -> None:
    run = begun(LOOP)
    done = rewind(run.pk, 2)
    assert [c.call_seq for c in done.replay.reused] == [1]
    assert [c.call_seq for c in done.replay.new] == [4]
    assert [c.call_seq for c in done.replay.orphans] == [2, 3]
    run = go_on(run)
    assert (run.status, run.output, run.attempt) == ("succeeded", [1, 2, 3], 2)
    assert executed == [1, 2, 3, 2, 3]
    assert calls(run) == [1, 4, 5]
    assert_replay_agrees(run)


def test_what_came_in_after_the_call_was_made_is_kept() -> None:
    run = begun("""
      const slow = ctx.sleep(60);
      const a = await ctx.call('note', {v: 'a'});
      const b = ctx.call('note', {v: 'b'});
      await slow;
      return [a, await b, await ctx.call('note', {v: 'c'})];
    """)
    rewind(run.pk, 3)
    run = go_on(run)
    assert (run.output, executed) == (["a", "b", "c"], ["a", "b", "c", "b", "c"])
    assert_replay_agrees(run)


def test_a_run_that_was_continued_is_not_rewound_for_it_would_be_continued_twice() -> None:
    run = begun("await ctx.call('note', {v: 1}); if (input === null) await ctx.continueAsNew(2); return input")
    with pytest.raises(NotPossible, match=f"was continued as {run.successor}: rewind that one, or fork this one"):
        rewind(run.pk, 1)
    rewind(run.successor, 1)
    assert go_on(Run.objects.get(pk=run.successor)).output == 2
    forked = go_on(Run.objects.get(pk=fork(run.pk, 1).run_id))
    assert forked.successor
    assert forked.successor != run.successor


def test_a_parked_run_can_be_rewound() -> None:
    run = begun("const a = await ctx.call('note', {v: 1}); await ctx.waitForEvent({signal: 'go'}); return a")
    assert run.status == "waiting"
    rewind(run.pk, 1)
    run = go_on(run)
    assert (run.status, executed) == ("waiting", [1, 1])


def test_a_rewind_with_an_edited_source_goes_on_with_that() -> None:
    run = begun(LOOP)
    rewind(run.pk, 3, source=f"export default async (input, ctx) => {{ {LOOP.replace('<= 3', '<= 4')} }}")
    run = go_on(run)
    assert (run.output, executed) == ([1, 2, 3, 4], [1, 2, 3, 3, 4])
    assert_replay_agrees(run)


def test_it_refuses_what_is_not_at_rest_and_calls_that_there_are_not() -> None:
    queued = start("export default () => 1").run
    with pytest.raises(NotPossible, match="queued"):
        rewind(queued.pk, 1)
    run = begun(LOOP)
    with pytest.raises(BadInput, match="no call 9; its calls go from 1 to 3"):
        rewind(run.pk, 9)
    assert Run.objects.get(pk=run.pk).attempt == 1
