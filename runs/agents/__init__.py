"""Agents: Python callables that run as runs of their own, children of the scripts that delegate to them.

    from runs.agents import AgentContext, agent

    @agent("triage")
    def triage(ticket: str, context: AgentContext) -> dict[str, str]:
        "Decides who should look at the ticket."

An app offers agents in its `agents.py`. Input and output are checked as those of a tool; the context has `run_id`,
`cancelled` and `progress()`. An agent that is interrupted runs again from its start, with the same `token`.
"""

from runs.agents import llm  # noqa: F401  (importing it registers the built-in)
from runs.agents.registry import AgentContext, agent, all_agents, find_agent

__all__ = ["AgentContext", "agent", "all_agents", "find_agent"]
