"""An agent that works until the test opens its gate. It records its executions."""

from typing import Any

from cases.app import executions
from cases.app.gates import wait_for_gate
from django.conf import settings

from runs.agents import AgentContext, agent


@agent("worker")
def worker(context: AgentContext, gate: str, v: Any = None) -> Any:
    executions.note(settings.DATA_DIR / "executions", context.token, "worker", context.attempt)
    wait_for_gate(gate, context.cancel)
    return v
