"""GetRun and ListRuns: one run, and the newest of many."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from runs import finding
from runs.api.actions.action import Action, Also, Answer, Params, Result
from runs.api.actions.fields import Moment, RunId, Said, ScriptName
from runs.api.actions.lookup import whole
from runs.api.actions.shapes import IsKind, IsQueue, IsStatus, IsWaitsOn, RunFacts, Time
from runs.api.caller import Caller
from runs.api.roles import Role
from runs.finding import Asked
from runs.models import Run
from runs.reading.facts import facts
from runs.words import status_words

LIST_MAX, LIST_DEFAULT = 200, 50
_COLUMNS = (*finding.COLUMNS, "idempotency_key")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # an id begins with the time since then
_TIMES = ("created", "queued", "started", "finished", "wake")
EXAMPLE_ID = "01kg8q3v5n7w9y2c4e6g8j0m1p"


class GetRunParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID}]}}

    run_id: RunId


class GetRunResult(Result):
    run: RunFacts


def get_run(caller: Caller, params: GetRunParams, also: Also) -> Answer:
    return {"run": facts(whole(caller, params.run_id))}


class ListRunsParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"status": "failed", "errorCode": "tool-error", "limit": 20}]}}

    status: IsStatus | None = None
    kind: IsKind | None = None
    script: Annotated[ScriptName | None, Field(description="name, or name@3.")] = None
    waits_on: IsWaitsOn | None = None
    error_code: Said | None = None
    tool: Annotated[Said | None, Field(description="The tool whose call the error came from.")] = None
    queue: IsQueue | None = None
    schedule: Said | None = None
    since: Annotated[Moment | None, Field(description="Created then or later.")] = None
    until: Annotated[Moment | None, Field(description="Created before then.")] = None
    search: Annotated[
        Said | None,
        Field(
            description="Looked for in title and idempotency key. Those whose id or key begins with it stand first,"
            " whatever their age, and do not count for the limit."
        ),
    ] = None
    roots: Annotated[bool, Field(description="No children.")] = False
    limit: Annotated[int, Field(ge=1, le=LIST_MAX)] = LIST_DEFAULT
    before: Annotated[
        Annotated[str, Field(pattern=r"^[0-9a-hjkmnp-tv-z]{26}$")] | None,
        Field(description="The next of the last page: older runs than that one."),
    ] = None


class RunBrief(Result):
    """A run as a row of a list, without its payloads."""

    id: str
    status: IsStatus
    words: str
    title: str
    kind: IsKind
    agent: str | None
    owner: str | None
    script: str | None
    schedule: str | None
    queue: IsQueue
    key: str | None
    root: str
    parent: str | None
    continued_as: str | None
    error_code: str | None
    failed_tool: str | None
    waits_on: list[str]
    attempt: int
    max_attempts: int
    created_at: Time
    queued_at: Time
    started_at: Time | None
    finished_at: Time | None
    wake_at: Time | None


class ListRunsResult(Result):
    runs: Annotated[list[RunBrief], Field(description="Newest first.")]
    next: Annotated[
        str, Field(description="There may be more, on the page before this one. Left out on the last page.")
    ] = ""
    searched_to: Annotated[
        Time, Field(description="The search has looked so far back and not filled the page; next goes on from there.")
    ] = ""


def list_runs(caller: Caller, params: ListRunsParams, also: Also) -> Answer:
    page = finding.find(caller.user, _asked(params), before=params.before or "", size=params.limit, columns=_COLUMNS)
    answer: Answer = {"runs": [brief(run) for run in page.rows]}
    if page.older:
        answer["next"] = page.older
    if page.searched_to is not None:
        answer["searchedTo"] = page.searched_to.isoformat()
    return answer


def brief(run: Run) -> dict[str, Any]:
    """What `RunBrief` says; asks the database nothing."""
    times = {f"{name}At": at.isoformat() if (at := getattr(run, f"{name}_at")) else None for name in _TIMES}
    return {
        "id": run.pk,
        "status": run.status,
        "words": status_words(run),
        "title": run.title,
        "kind": run.kind,
        "agent": run.agent or None,
        "owner": run.owner.get_username() if run.owner else None,
        "script": str(run.script_version) if run.script_version else None,
        "schedule": run.schedule,
        "queue": run.queue,
        "key": run.idempotency_key,
        "root": run.root_id,
        "parent": run.parent_id,
        "continuedAs": run.successor or None,
        "errorCode": run.error_code or None,
        "failedTool": run.failed_tool,
        "waitsOn": run.waits_on.split(",") if run.waits_on else [],
        "attempt": run.attempt,
        "maxAttempts": run.max_attempts,
        **times,
    }


def _asked(params: ListRunsParams) -> Asked:
    return Asked(
        status=params.status or "",
        kind=params.kind or "",
        script=params.script or "",
        waiting=params.waits_on or "",
        code=params.error_code or "",
        tool=params.tool or "",
        queue=params.queue or "",
        schedule=params.schedule or "",
        since=params.since and max(params.since, _EPOCH),
        until=params.until and max(params.until, _EPOCH),
        text=params.search or "",
        roots=params.roots,
    )


GET_RUN = Action("GetRun", Role.READER, False, GetRunParams, GetRunResult, "Gives everything about a run.", get_run)
LIST_RUNS = Action(
    "ListRuns", Role.READER, False, ListRunsParams, ListRunsResult, "Lists runs, the newest first.", list_runs
)
