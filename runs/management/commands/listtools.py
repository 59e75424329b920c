"""`manage.py listtools`: the tools that scripts can call, and the agents that they can delegate to."""

from collections.abc import Iterable, Iterator
from typing import Any

from runs.agents import all_agents
from runs.commands.base import DONE, RunCommand
from runs.reading.offers import offer, parameters, summary
from runs.tools import Tool, all_tools


class Command(RunCommand):
    help = (
        "Lists the tools and agents that scripts can use: name, parameters (? marks the optional ones), what each does."
    )
    exits = "Exit codes: 0 done; 2 bad usage."

    def act(self, options: dict[str, Any]) -> int:
        tools, agents = all_tools(), all_agents()
        if self.json:
            self.answer({"tools": [offer(tool) for tool in tools], "agents": [offer(agent) for agent in agents]})
        self.tell(*_lines(tools))
        self.tell("", "Agents, for ctx.delegate({agent, input}):", "", *_lines(agents))
        return DONE


def _lines(tools: Iterable[Tool]) -> Iterator[str]:
    for tool in tools:
        yield f"{tool.name} {{{', '.join(parameters(tool))}}}"
        yield f"    {summary(tool)}".rstrip()
