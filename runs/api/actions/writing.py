"""LintScript and ListTools: what who writes a script wants to know."""

from typing import Annotated, Any

from pydantic import Field

from runs.agents import all_agents
from runs.api.actions.action import Action, Also, Answer, Params, Result
from runs.api.actions.fields import OneOf, Source
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.lint import lint
from runs.reading.offers import offer
from runs.starting import check_size
from runs.tools import Tool, all_tools


class LintScriptParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"source": "export default async (input, ctx) => new Date()"}]}}

    source: Source


class LintFinding(Result):
    """Lines and columns count from 1, columns in characters; the end is exclusive."""

    severity: Annotated[str, OneOf(("error", "warning"))]
    rule: str
    message: Annotated[str, Field(description="What is wrong, and what to write instead.")]
    line: int
    column: int
    end_line: int
    end_column: int


class LintScriptResult(Result):
    findings: Annotated[list[LintFinding], Field(description="A script with an error cannot be started.")]


def lint_script(caller: Caller, params: LintScriptParams, also: Also) -> Answer:
    check_size(params.source)
    return {"findings": [finding.as_dict() for finding in lint(params.source)]}


class ListToolsParams(Params):
    model_config = {"json_schema_extra": {"examples": [{}]}}


class Offer(Result):
    """A tool for ctx.call, or an agent for ctx.delegate."""

    name: str
    summary: str
    description: Annotated[str, Field(description="What it does, for authors of scripts.")]
    parameters: Annotated[list[str], Field(description="Their names; ? marks the optional ones.")]
    schema_: Annotated[dict[str, Any], Field(alias="schema", description="The JSON Schema of its input.")]


class ListToolsResult(Result):
    tools: list[Offer]
    agents: list[Offer]


def list_tools(caller: Caller, params: ListToolsParams, also: Also) -> Answer:
    return {"tools": [_told(tool) for tool in all_tools()], "agents": [_told(agent) for agent in all_agents()]}


def _told(tool: Tool) -> dict[str, Any]:
    return offer(tool) | {"description": tool.description}


LINT_SCRIPT = Action(
    "LintScript",
    Role.READER,
    False,
    LintScriptParams,
    LintScriptResult,
    "Checks a script and starts nothing.",
    lint_script,
)
LIST_TOOLS = Action(
    "ListTools",
    Role.READER,
    False,
    ListToolsParams,
    ListToolsResult,
    "Lists the tools and agents that scripts can use.",
    list_tools,
)
