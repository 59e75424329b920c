"""The page of tools and agents: what a script may give each, and how it has fared lately."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from runs import vitals
from runs.admin import site
from runs.agents.registry import all_agents
from runs.conf import conf
from runs.tools.definition import Tool
from runs.tools.registry import all_tools
from runs.vitals import Use
from runs.words import span

CODES = 3  # of the errors of one tool, the most frequent ones


@site.view("tools")
def tools_page(request: HttpRequest) -> HttpResponse:
    """All that are registered in this process, and what else the runs looked at have called."""
    usage = vitals.usage(request.user)
    context = {
        "usage": usage,
        "groups": [
            ("Tools", "tool", _told(all_tools(), usage.tools), _unknown(all_tools(), usage.tools)),
            ("Agents", "agent", _told(all_agents(), usage.agents), _unknown(all_agents(), usage.agents)),
        ],
    }
    return site.show(request, "tools", context)


def _told(tools: list[Tool], uses: Mapping[str, Use]) -> list[dict[str, Any]]:
    return [
        {
            "tool": tool,
            "schema": json.dumps(tool.schema, indent=2, ensure_ascii=False),
            "where": tool.where.partition(" (")[0],
            "limit": span((tool.timeout_ms or conf().tool_timeout_ms) / 1000),
            "use": use_words(uses.get(tool.name, Use())),
            "failing": uses.get(tool.name, Use()).failed > 0,
        }
        for tool in tools
    ]


def _unknown(tools: list[Tool], uses: Mapping[str, Use]) -> list[tuple[str, str]]:
    """What was called by a name that is not registered here."""
    names = {tool.name for tool in tools}
    return [(name, use_words(use)) for name, use in sorted(uses.items()) if name not in names]


def use_words(use: Use) -> str:
    """ "312 calls, 4 failed (1.3 %): timeout 3, tool-error 1; 2 are out"."""
    if not use.calls:
        return "not called"
    words = f"{use.calls:,} {'call' if use.calls == 1 else 'calls'}, "
    words += f"{use.failed:,} failed ({100 * use.rate:.1f} %)" if use.failed else "none failed"
    if use.codes:
        words += ": " + ", ".join(f"{code} {number:,}" for code, number in use.codes.most_common(CODES))
    words += f"; {use.again:,} tried again" if use.again else ""
    return words + (f"; {use.out:,} {'is' if use.out == 1 else 'are'} out" if use.out else "")
