"""retry: the failing call is executed again, all else is answered from the journal."""

import pytest
from cases.replaying import assert_replay_agrees
from driving import script
from going import active, begun, calls, executed, go_on

from journal import store
from runs.errors import BadInput, NotPossible, UnknownRun
from runs.models import Run
from runs.operations import retry
from runs.starting import start

pytestmark = pytest.mark.django_db(transaction=True)
ONE_FAILS = """
  const a = await ctx.call('note', {v: 'a'});
  const b = await ctx.step('b', () => ctx.call('once', {v: 'b'}));
  return [a, b, await ctx.call('note', {v: 'c'})];
"""


def test_only_the_failing_call_is_executed_again_under_its_own_token() -> None:
    run = begun(ONE_FAILS)
    assert (run.status, run.error["callSeq"]) == ("failed", 3)
    done = retry(run.pk)
    assert [c.call_seq for c in done.replay.reused] == [1]
    assert [c.call_seq for c in done.replay.new] == [3]
    assert done.replay.orphans == []
    run = go_on(run)
    assert (run.status, run.output, run.attempt) == ("succeeded", ["a", "b well", "c"], 2)
    assert executed == ["a", "b", "b", "c"]
    assert calls(run) == [1, 3, 4]
    assert_replay_agrees(run)


def test_a_step_that_had_failed_ends_anew_and_its_failure_stays_readable() -> None:
    run = begun(ONE_FAILS)
    retry(run.pk)
    run = go_on(run)
    ends = [body["succeeded"] for body in active(run) if body["kind"] == "step" and body["phase"] == "end"]
    assert ends == [True]
    ever = [entry.body for entry in store.read(run.journal_id) if entry.kind == "step"]
    assert [body["succeeded"] for body in ever if body["phase"] == "end"] == [False, True]
    assert [step["status"] for step in run.plan["steps"]] == ["done"]


def test_the_pauses_of_the_failing_call_are_left_behind_so_that_its_attempts_count_from_one() -> None:
    run = begun("return ctx.call('once', {v: 'b', retryable: true}, {retry: {maxAttempts: 1}})")
    retry(run.pk)
    assert [body["kind"] for body in active(run)] == ["call", "log"]
    assert go_on(run).output == "b well"


def test_what_the_script_did_about_the_failure_is_an_orphan() -> None:
    run = begun(
        "try { return await ctx.call('once', {v: 'b'}) } catch (e) { await ctx.call('note', {v: 'sorry'}); throw e }"
    )
    done = retry(run.pk, dry_run=True)
    assert [(c.call_seq, c.input) for c in done.replay.orphans] == [(2, {"v": "sorry"})]
    retry(run.pk)
    assert go_on(run).output == "b well"


def test_a_run_that_failed_without_a_failing_call_is_queued_again() -> None:
    run = begun("await ctx.call('note', {v: 1}); throw new Error('no')")
    retry(run.pk)
    run = go_on(run)
    assert (run.status, run.attempt, executed) == ("failed", 2, [1])


def test_another_failed_call_can_be_named_and_one_that_has_not_failed_cannot() -> None:
    run = begun("const a = await ctx.call('once', {v: 'x'}).catch(() => 'caught'); throw new Error(a)")
    with pytest.raises(BadInput, match=r"call 7 has not failed \(those that did: 1\)"):
        retry(run.pk, call=7)
    retry(run.pk, call=1)
    assert go_on(run).error["message"] == "Error: x well"


def test_the_error_is_gone_and_the_deadline_is_new() -> None:
    run = begun("return ctx.call('once', {v: 'b'})")
    retry(run.pk)
    queued = Run.objects.get(pk=run.pk)
    assert (queued.status, queued.error, queued.error_code, queued.finished_at) == ("queued", None, "", None)
    assert queued.deadline_at > run.deadline_at
    assert (queued.fence, queued.attempt) == (run.fence + 1, 2)


def test_a_run_in_any_other_state_is_refused_with_what_would_work() -> None:
    with pytest.raises(UnknownRun):
        retry("nothing")
    done = begun("return 1")
    with pytest.raises(NotPossible, match="only a failed run can be retried, and this one is succeeded; rewind it"):
        retry(done.pk)
    queued = start("export default () => 1").run
    with pytest.raises(NotPossible, match="queued; a fork"):
        retry(queued.pk)


def test_an_edited_source_that_never_comes_to_rest_is_refused_and_nothing_is_changed(settings: object) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "fuel_ms": 100}
    run = begun(ONE_FAILS)
    before = list(run.journal.entries.values())
    with pytest.raises(NotPossible, match="fuel-exhausted"):
        retry(run.pk, source="export default () => { for (;;); }")
    assert list(run.journal.entries.values()) == before
    assert Run.objects.get(pk=run.pk).status == "failed"


def test_two_operators_at_once_begin_one_attempt() -> None:
    run = begun(ONE_FAILS)
    retry(run.pk)
    with pytest.raises(NotPossible):
        retry(run.pk)
    assert Run.objects.get(pk=run.pk).attempt == 2


def test_a_failed_call_can_be_retried_again_and_again() -> None:
    run = begun("const f = await ctx.call('note', {v: 1}); return ctx.call('note', {})")
    for attempt in (2, 3, 4):
        assert run.status == "failed"
        retry(run.pk)
        run = go_on(run)
        assert run.attempt == attempt
    assert executed == [1]


def test_a_dry_replay_of_an_edited_source_costs_no_more_cpu_than_a_run_may() -> None:
    calls = "for (let n = 0; n < 40; n++) { work(); await ctx.call('note', {v: n}) } throw new Error('no')"
    run = begun(f"const work = () => {{}}; {calls}", budget={"cpuMs": 500})
    slow = script(f"const work = () => {{ for (let n = 0; n < 3e6; n++); }}; {calls}")
    with pytest.raises(NotPossible, match="cpu-exhausted: the run has used its 500 ms of CPU"):
        retry(run.pk, source=slow, dry_run=True)
