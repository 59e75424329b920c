"""Retry, rewind and fork under real workers, on both databases: one attempt, and no completed call again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from cases.engines import BOTH
from cases.installation import Installation, entries, look, script
from cases.replaying import assert_replay_agrees
from django.db import connections
from helpers import eventually

from runs.errors import NotPossible
from runs.models import Run
from runs.operations import fork, retry, rewind

pytestmark = BOTH
BAD = """
  const a = await ctx.call('counted', {v: 1});
  await ctx.call('boom');
  return [a, await ctx.call('counted', {v: 2})];
"""
GOOD = BAD.replace("await ctx.call('boom');", "await ctx.call('tick');")


def test_a_mended_run_finishes_without_a_completed_call_again(house: Installation) -> None:
    run = house.run(BAD)
    house.failed(run, "boom")
    told = retry(run.pk, source=script(GOOD), dry_run=True).replay
    assert [[call.call_seq for call in calls] for calls in (told.reused, told.new, told.orphans)] == [[1], [3], [2]]
    assert retry(run.pk, source=script(GOOD)).replay.as_dict() == told.as_dict()
    ended = house.ended(run)
    assert (ended.status, ended.output, ended.attempt) == ("succeeded", [1, 2], 2)
    assert house.counts(run) == {"boom": 1, "counted": 2, "tick": 1}
    assert_replay_agrees(ended)


def test_of_many_operators_at_once_one_begins_an_attempt(house: Installation) -> None:
    run = house.run(BAD)
    house.failed(run, "boom")

    def retried(_: int) -> bool:
        try:
            retry(run.pk)
        except NotPossible:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(retried, range(6))) >= 1
    eventually(lambda: look(run).status == "failed")
    attempts = look(run).attempt
    notices = [entry.body["attempt"] for entry in entries(run, "log") if "attempt" in entry.body]
    assert notices == list(range(2, attempts + 1)), "each attempt was begun once"
    assert house.counts(run) == {"boom": attempts, "counted": 1}


def test_c41_a_rewind_and_a_fork_from_the_third_iteration_s_call(house: Installation) -> None:
    run = house.run("let t; for (let i = 0; i < 3; i++) t = await ctx.call('counted', {v: i}); return t")
    house.succeeded(run)
    made = Run.objects.get(pk=fork(run.pk, 3).run_id)
    assert house.succeeded(made).output == 2
    assert house.counts(made) == {"counted": 1}
    assert house.counts(run) == {"counted": 3}
    rewind(run.pk, 2)
    ended = house.ended(run)
    assert (ended.output, house.counts(run)) == (2, {"counted": 5})
    assert_replay_agrees(ended)


@pytest.mark.parametrize("choice", ["keep", "cancel"])
def test_c41_a_live_child_whose_call_is_made_again(house: Installation, choice: str) -> None:
    child = "export default async (input, ctx) => (await ctx.waitForEvent({signal: 'go'}, {timeout: 2000}))"
    run = house.run(f"return ctx.delegate({{script: {child!r}}})")
    old = eventually(lambda: run.children.filter(status="waiting").first())
    eventually(lambda: look(run).status == "waiting")
    with pytest.raises(NotPossible, match="keep lets"):
        rewind(run.pk, 1)
    rewind(run.pk, 1, children=choice)
    ended = house.ended(run)
    assert (ended.status, ended.output) == ("succeeded", None)
    assert house.ended(old).status == {"keep": "succeeded", "cancel": "canceled"}[choice]
    assert run.children.count() == 2
