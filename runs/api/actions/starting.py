"""StartRun: a run of a script that comes along, or of one of the library."""

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from runs import library
from runs.access import Verb, require
from runs.api.actions.action import Action, Also, Answer, Params, Result
from runs.api.actions.fields import ConcurrencyKey, Key, OneOf, ScriptName, Source, Title
from runs.api.actions.lookup import of_key
from runs.api.actions.shapes import RunFacts
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.audit import record
from runs.models import Run
from runs.reading.facts import facts
from runs.starting import (
    ATTEMPTS_MAX,
    BUDGET_MAX,
    CONCURRENCY_LIMIT_MAX,
    Started,
    start,
)

ORIGIN = "api"
_TEXT, _NONE = {"type": "string"}, {"type": "null"}
_ONE_SCRIPT: list[Any] = [
    {"required": [one], "properties": {one: _TEXT, other: _NONE}}
    for one, other in (("source", "script"), ("script", "source"))
]


class Budget(Params):
    """Limits of this run that stand in for those of the settings."""

    cpu_ms: Annotated[float, Field(gt=0, le=BUDGET_MAX["cpuMs"], allow_inf_nan=False)] | None = None
    wall_seconds: Annotated[float, Field(gt=0, le=BUDGET_MAX["wallSeconds"], allow_inf_nan=False)] | None = None


class StartRunParams(Params):
    model_config = {
        "json_schema_extra": {
            "oneOf": _ONE_SCRIPT,
            "examples": [
                {
                    "source": "export default async (input, ctx) => ctx.call('echo', { v: input.name })",
                    "input": {"name": "Ana"},
                    "title": "Greeting",
                    "key": "greeting-2026-01-31",
                }
            ],
        }
    }

    source: Source | None = None
    script: Annotated[
        ScriptName | None,
        Field(
            description="Of the library: name, which is its newest version, or name@3. Instead of source.",
            validate_default=True,
        ),
    ] = None
    input: Annotated[Any, Field(description="What the script gets: any JSON value.")] = None
    title: Annotated[Title | None, Field(description="What people call the run.")] = None
    key: Key | None = None
    queue: Annotated[
        Annotated[str, OneOf.of(Run.Queue.values)], Field(description="interactive runs go before background ones.")
    ] = Run.Queue.INTERACTIVE.value
    priority: Annotated[int, Field(ge=-(2**15), lt=2**15, description="Higher goes first within its queue.")] = 0
    max_attempts: Annotated[
        int, Field(ge=1, le=ATTEMPTS_MAX, description="Attempts, when the run fails retryably.")
    ] = 1
    budget: Budget | None = None
    concurrency_key: Annotated[
        ConcurrencyKey | None,
        Field(description="The run waits in the queue while concurrencyLimit runs of the same key are running."),
    ] = None
    concurrency_limit: Annotated[
        Annotated[int, Field(ge=1, le=CONCURRENCY_LIMIT_MAX)] | None,
        Field(description="1 unless given; takes a concurrencyKey."),
    ] = None

    @field_validator("script")
    @classmethod
    def _one_script(cls, script: str | None, given: ValidationInfo) -> str | None:
        if "source" in given.data and (given.data["source"] is None) == (script is None):
            raise PydanticCustomError("one_script", "or source is needed, and not both of them")
        return script


class StartRunResult(Result):
    run: RunFacts
    created: Annotated[bool, Field(description="False where the key has named a run that was there already.")]


def start_run(caller: Caller, params: StartRunParams, also: Also) -> Answer:
    require(caller.user, Verb.START)
    answers: list[Answer] = []

    def then(started: Started) -> None:
        script = {"script": params.script} if params.script else {}
        record(caller.user, started.run, "start", via=caller.via, **script)
        answers.append({"run": facts(started.run), "created": True})
        also(answers[0])

    fields = _fields(params) | {"owner": caller.user, "origin": ORIGIN, "also": then}
    if params.source is not None:
        started = start(params.source, **fields)
    else:
        started = library.start_script(params.script or "", **fields)
    return answers[0] if started.created else {"run": facts(of_key(caller, started.run.pk)), "created": False}


def _fields(params: StartRunParams) -> dict[str, Any]:
    return {
        "input": params.input,
        "title": params.title or "",
        "key": params.key,
        "queue": params.queue,
        "priority": params.priority,
        "max_attempts": params.max_attempts,
        "budget": params.budget.model_dump(by_alias=True, exclude_none=True) if params.budget else None,
        "concurrency_key": params.concurrency_key,
        "concurrency_limit": params.concurrency_limit,
    }


START_RUN = Action("StartRun", Role.OWNER, True, StartRunParams, StartRunResult, "Starts a run of a script.", start_run)
