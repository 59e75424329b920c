"""An agent that is told by its input how long to work. It records its executions."""

from typing import Any

from cases.app import executions
from django.conf import settings

from runs.agents import AgentContext, agent


@agent("worker")
def worker(context: AgentContext, ms: int, v: Any = None) -> Any:
    executions.note(settings.DATA_DIR / "executions", context.token, "worker", context.attempt)
    context.cancel.wait(ms / 1000)
    return v
