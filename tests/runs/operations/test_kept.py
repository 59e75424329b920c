"""What was left behind still answers: behind a new call, an approval is not asked for again and no child made twice."""

import pytest
from cases.replaying import assert_replay_agrees
from driving import script
from going import active, begun, executed, go_on

from runs.models import Run
from runs.operations import retry, rewind
from runs.signals import send

pytestmark = pytest.mark.django_db(transaction=True)
CHILD = "export default async (input, ctx) => ctx.call('note', {v: 'child'})"
BODY = f"""
  const said = await ctx.waitForEvent({{signal: 'go'}});
  const child = await ctx.delegate({{script: {CHILD!r}}});
  const none = await ctx.waitForEvent({{signal: 'never'}}, {{timeout: 1}});
  const caught = await ctx.call('once', {{v: 'caught'}}).catch((e) => e.message);
  return [said.payload, child, none, caught, await ctx.call('once', {{v: 'x'}})];
"""


@pytest.fixture
def failed() -> Run:
    run = begun(BODY)
    send(run.pk, "go", "yes")
    run = go_on(run)
    assert (run.status, run.error["callSeq"]) == ("failed", 5)
    return run


def edited() -> str:
    return script("await ctx.call('note', {v: 'new'});\n" + BODY)


def test_signals_children_timeouts_and_caught_failures_are_as_they_were(failed: Run) -> None:
    done = retry(failed.pk, source=edited())
    assert [call.call_seq for call in done.replay.orphans] == [1, 2, 3, 4, 5]
    assert done.replay.kept == {1, 2, 3, 4}
    run = go_on(failed)
    assert (run.status, run.output) == ("succeeded", ["yes", "child", None, "it broke", "x well"])
    assert executed == ["child", "caught", "x", "new", "x"]
    assert run.children.count() == 1
    assert [body["keptFrom"] for body in active(run) if body["kind"] in ("call", "wait") and "keptFrom" in body] == [
        1,
        2,
        3,
        4,
    ]
    assert_replay_agrees(run)


def test_what_was_kept_once_is_kept_over_another_retry_until_it_is_used(failed: Run) -> None:
    worse = script("await ctx.call('once', {v: 'new'});\n" + BODY)
    retry(failed.pk, source=worse)
    assert go_on(failed).error["message"] == "it broke"
    retry(failed.pk)
    run = go_on(failed)
    assert (run.status, run.output[0], run.attempt) == ("succeeded", "yes", 3)
    assert run.children.count() == 1
    assert_replay_agrees(run)


def test_what_is_rewound_is_not_kept(failed: Run) -> None:
    rewind(failed.pk, 2, source=edited())
    run = go_on(failed)
    assert run.output[:4] == ["yes", "child", None, "caught well"]
    assert executed == ["child", "caught", "x", "new", "child", "caught", "x"]
    assert run.children.count() == 2
