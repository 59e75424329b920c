"""RetryRun and ForkRun: going on from a call of a run, also with another script."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from journal.errors import JournalDamaged
from runs import operations
from runs.access import Verb, require, told_refused
from runs.api.actions.action import Action, Also, Answer, Params
from runs.api.actions.fields import CallSeq, Children, Key, Reason, RunId, Source
from runs.api.actions.looking import EXAMPLE_ID
from runs.api.actions.lookup import of_key, run_for
from runs.api.actions.shapes import Replay
from runs.api.caller import Caller
from runs.api.errors import ApiError
from runs.api.roles import Role, allows
from runs.audit import record_again
from runs.errors import NotPossible
from runs.models import Run
from runs.operations import Done
from runs.operations.children import CANCEL

_NONE: Any = {"type": "null"}
_EDITED = "Go on with this script instead of the run's own; takes the role owner and the permission runs.start_run."
ANOTHER = "What that call came to instead of being executed: any JSON value; of a wait, the payload."


class RetryRunParams(Params):
    model_config = {
        "json_schema_extra": {
            "examples": [{"runId": EXAMPLE_ID, "reason": "the bank is back"}],
            "anyOf": [{"properties": {"call": _NONE}}, {"properties": {"rewindTo": _NONE}}],
        }
    }

    run_id: RunId
    call: Annotated[
        CallSeq | None, Field(description="This failed call again, instead of the one that the error came from.")
    ] = None
    rewind_to: Annotated[
        CallSeq | None, Field(description="This call and all after it again; of a run that has ended or is parked.")
    ] = None
    source: Annotated[Source | None, Field(description=_EDITED)] = None
    children: Children | None = None
    reason: Reason = ""

    @field_validator("rewind_to")
    @classmethod
    def _one_verb(cls, rewind_to: int | None, given: ValidationInfo) -> int | None:
        if rewind_to is not None and given.data.get("call") is not None:
            raise PydanticCustomError("one_verb", "executes all calls from one on again, call a failed one; give one")
        return rewind_to


class RetryRunResult(Replay):
    id: Annotated[str, Field(description="The run, which is queued.")]


def retry_run(caller: Caller, params: RetryRunParams, also: Also) -> Answer:
    run = run_for(caller, params.run_id, Verb.RETRY)
    _check(caller, run, params.source, params.children)

    def then(done: Done) -> None:
        call, edited = params.call or params.rewind_to, params.source is not None
        record_again(caller.user, run, done, params.reason, call=call, edited=edited, via=caller.via)
        also(answer_of(done))

    how: dict[str, Any] = {"source": params.source, "children": params.children, "also": then}
    with replayed():
        if params.rewind_to is not None:
            return answer_of(operations.rewind(run.pk, params.rewind_to, **how))
        return answer_of(operations.retry(run.pk, call=params.call, **how))


class ForkRunParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID, "call": 2, "result": {"paid": True}}]}}

    run_id: RunId
    call: Annotated[CallSeq, Field(description="The fork has done what the run did before this call.")]
    result: Annotated[Any, Field(description=ANOTHER)] = None
    source: Annotated[Source | None, Field(description=_EDITED)] = None
    children: Children | None = None
    key: Key | None = None
    reason: Reason = ""


class ForkRunResult(Replay):
    id: Annotated[str, Field(description="The fork, which is queued.")]
    created: Annotated[bool, Field(description="False where the key has named a run that was there already.")]


def fork_run(caller: Caller, params: ForkRunParams, also: Also) -> Answer:
    run = run_for(caller, params.run_id, Verb.FORK)
    _check(caller, run, params.source, params.children)
    answers: list[Answer] = []

    def then(done: Done) -> None:
        edited = params.source is not None
        record_again(caller.user, run, done, params.reason, call=params.call, edited=edited, via=caller.via)
        answers.append(answer_of(done) | {"created": True})
        also(answers[0])

    how: dict[str, Any] = {"source": params.source, "children": params.children, "key": params.key, "also": then}
    with replayed():
        done = operations.fork(run.pk, params.call, owner=caller.user, **result_of(params), **how)
    return answers[0] if answers else answer_of(done) | {"id": of_key(caller, done.run_id).pk, "created": False}


def _check(caller: Caller, run: Run, source: str | None, children: str | None) -> None:
    """Raises `ApiError` and `Forbidden` for what an edited source and the cancelling of children take besides."""
    if source is not None:
        if not allows(caller.role, Role.OWNER):
            told_refused(caller.user, Verb.START, run.pk)
            raise ApiError(
                "role", f"an edited source takes the role {Role.OWNER.value}, and this is of the role {caller.role}"
            )
        require(caller.user, Verb.START)
    if children == CANCEL:
        require(caller.user, Verb.CANCEL, run)


def result_of(params: Any) -> dict[str, Any]:
    """The `result` that was given; null is one too."""
    return {"result": params.result} if "result" in params.model_fields_set else {}


def answer_of(done: Done) -> Answer:
    """As `Replay` says."""
    told = done.as_dict()
    if told.pop("dryRun"):
        del told["id"]  # of a fork that is not made
    return told


@contextmanager
def replayed() -> Iterator[None]:
    """A journal that cannot be read is a state that allows no replay."""
    try:
        yield
    except JournalDamaged as damaged:
        raise NotPossible(str(damaged)) from None


RETRY_RUN = Action(
    "RetryRun",
    Role.OPERATOR,
    True,
    RetryRunParams,
    RetryRunResult,
    "Executes a failed call again, or all from a call on.",
    retry_run,
)
FORK_RUN = Action(
    "ForkRun", Role.OPERATOR, True, ForkRunParams, ForkRunResult, "Makes a run that goes on from a call.", fork_run
)
