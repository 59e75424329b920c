"""retry of a run of an agent: as a whole, since it has neither calls nor a source."""

from collections.abc import Iterator
from typing import Any

import pytest
from commanding import command
from going import begun, executed, go_on

from runs.agents import AgentContext
from runs.agents.registry import registered_agents
from runs.models import Message, Run
from runs.tools import ToolError

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def agents() -> Iterator[None]:
    def unsteady(context: AgentContext, good_at: int) -> dict[str, Any]:
        executed.append((context.token, context.attempt))
        if context.attempt < good_at:
            raise ToolError("unsteady", "not this time", detail={"attempt": context.attempt})
        return {"attempt": context.attempt}

    with registered_agents(unsteady=unsteady):
        yield


@pytest.fixture
def parent() -> Run:
    """Failed by its agent."""
    run = begun("return ctx.delegate({agent: 'unsteady', input: {good_at: 3}})")
    assert (run.status, run.error_code, run.children.get().status) == ("failed", "unsteady", "failed")
    return run


def test_an_agent_is_retried_until_it_succeeds_with_the_same_token(parent: Run) -> None:
    agent = parent.children.get()
    for attempt in (2, 3):
        told = command("retryrun", agent.pk, "--json").succeeded().json
        assert (told["verb"], told["id"], told["attempt"], told["dryRun"]) == ("retry", agent.pk, attempt, False)
        agent = go_on(agent)
    assert (agent.status, agent.output, agent.attempt) == ("succeeded", {"attempt": 3}, 3)
    assert (agent.error, agent.error_code) == (None, "")
    token = executed[0][0]
    assert executed == [(token, 1), (token, 2), (token, 3)]
    assert go_on(parent).status == "failed", "who has ended is told nothing"
    assert not Message.objects.filter(run=parent, taken_seq=None).exists()


def test_a_retry_of_the_parent_makes_another_agent(parent: Run) -> None:
    command("retryrun", parent.pk).succeeded()
    assert go_on(parent).status == "failed"
    first, second = parent.children.order_by("pk")
    assert executed == [(f"{first.pk}:0", 1), (f"{second.pk}:0", 1)]


def test_a_dry_run_changes_nothing(parent: Run) -> None:
    agent = parent.children.get()
    command("retryrun", agent.pk, "--dry-run").succeeded()
    agent.refresh_from_db()
    assert (agent.status, agent.attempt) == ("failed", 1)


@pytest.mark.parametrize("more", [["--call", "1"], ["--rewind", "1"]])
def test_it_has_no_calls_to_go_back_to(parent: Run, more: list[str]) -> None:
    command("retryrun", parent.children.get().pk, *more).refused(
        "agent", "retried as a whole" if "--call" in more else "retry it"
    )


def test_one_that_succeeded_is_not_retried(parent: Run) -> None:
    run = begun("return ctx.delegate({agent: 'unsteady', input: {good_at: 1}})")
    command("retryrun", run.children.get().pk).refused("only a failed run can be retried")
