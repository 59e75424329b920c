"""RetryRun, ForkRun and DryReplay: going on from a call of a run, also with another script, and what that comes to."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from journal.errors import JournalDamaged
from runs import operations
from runs.access import Verb, require
from runs.api.actions.action import Action, Also, Answer, Params
from runs.api.actions.fields import CallSeq, Children, Key, OneOf, Reason, RunId, Source
from runs.api.actions.looking import EXAMPLE_ID
from runs.api.actions.lookup import of_key, run_for
from runs.api.actions.shapes import Replay
from runs.api.caller import Caller
from runs.api.errors import ApiError
from runs.api.roles import Role, allows
from runs.audit import record
from runs.errors import NotPossible
from runs.models import Run
from runs.operations import Done
from runs.operations.children import CANCEL

_EDITED = "Go on with this script instead of the run's own; takes the role owner and the permission runs.start_run."
_ANOTHER = "What that call came to instead of being executed: any JSON value; of a wait, the payload."


class RetryRunParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID, "reason": "the bank is back"}]}}

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
        facts = _told(done.attempt, params.call or params.rewind_to, params.source, caller)
        record(caller.user, run, done.verb, params.reason, **facts)
        also(_answer(done))

    how: dict[str, Any] = {"source": params.source, "children": params.children, "also": then}
    with _replayed():
        if params.rewind_to is not None:
            return _answer(operations.rewind(run.pk, params.rewind_to, **how))
        return _answer(operations.retry(run.pk, call=params.call, **how))


class ForkRunParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID, "call": 3, "result": {"paid": True}}]}}

    run_id: RunId
    call: Annotated[CallSeq, Field(description="The fork has done what the run did before this call.")]
    result: Annotated[Any, Field(description=_ANOTHER)] = None
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
        made = Run.objects.only("title").get(pk=done.run_id)
        facts = _told(None, params.call, params.source, caller)
        record(caller.user, run, "fork", params.reason, fork=made.pk, **facts)
        record(caller.user, made, "fork", params.reason, of=run.pk, **facts)
        answers.append(_answer(done) | {"created": True})
        also(answers[0])

    how: dict[str, Any] = {"source": params.source, "children": params.children, "key": params.key, "also": then}
    with _replayed():
        done = operations.fork(run.pk, params.call, owner=caller.user, **_result(params), **how)
    return answers[0] if answers else _answer(done) | {"id": of_key(caller, done.run_id).pk, "created": False}


class DryReplayParams(Params):
    model_config = {"json_schema_extra": {"examples": [{"runId": EXAMPLE_ID, "verb": "retry"}]}}

    run_id: RunId
    verb: Annotated[str, OneOf(("retry", "rewind", "fork"))]
    call: Annotated[
        CallSeq | None,
        Field(description="As of RetryRun and ForkRun; rewind and fork need it.", validate_default=True),
    ] = None
    source: Annotated[
        Source | None, Field(description="With this script instead of the run's own; takes runs.start_run.")
    ] = None
    result: Annotated[Any, Field(description=f"Of a fork: {_ANOTHER[0].lower()}{_ANOTHER[1:]}")] = None

    @field_validator("call")
    @classmethod
    def _call_of(cls, call: int | None, given: ValidationInfo) -> int | None:
        if call is None and given.data.get("verb") in ("rewind", "fork"):
            raise PydanticCustomError("call", "is needed: the callSeq that the {verb} begins at", dict(given.data))
        return call

    @field_validator("result")
    @classmethod
    def _result_of(cls, result: Any, given: ValidationInfo) -> Any:
        if given.data.get("verb") in ("retry", "rewind"):
            raise PydanticCustomError("result", "is of a fork alone; leave it out")
        return result


class DryReplayResult(Replay):
    run_id: str


def dry_replay(caller: Caller, params: DryReplayParams, also: Also) -> Answer:
    run = run_for(caller, params.run_id, Verb.FORK if params.verb == "fork" else Verb.RETRY)
    if params.source is not None:
        require(caller.user, Verb.START)
    how: dict[str, Any] = {"source": params.source, "dry_run": True}
    with _replayed():
        if params.verb == "retry":
            done = operations.retry(run.pk, call=params.call, **how)
        elif params.verb == "rewind":
            done = operations.rewind(run.pk, params.call or 0, **how)
        else:
            done = operations.fork(run.pk, params.call or 0, **_result(params), **how)
    return _answer(done) | {"runId": run.pk}


def _check(caller: Caller, run: Run, source: str | None, children: str | None) -> None:
    """Raises `ApiError` and `Forbidden` for what an edited source and the cancelling of children take besides."""
    if source is not None:
        if not allows(caller.role, Role.OWNER):
            raise ApiError(
                "role", f"an edited source takes the role {Role.OWNER.value}, and this is of the role {caller.role}"
            )
        require(caller.user, Verb.START)
    if children == CANCEL:
        require(caller.user, Verb.CANCEL, run)


def _result(params: ForkRunParams | DryReplayParams) -> dict[str, Any]:
    """Null is a result too."""
    return {"result": params.result} if "result" in params.model_fields_set else {}


def _told(attempt: int | None, call: int | None, source: str | None, caller: Caller) -> dict[str, Any]:
    """The facts for the log of deeds."""
    facts: dict[str, Any] = {"via": caller.via}
    facts |= {"attempt": attempt} if attempt else {}
    facts |= {"call": call} if call else {}
    return facts | ({"edited": True} if source is not None else {})


def _answer(done: Done) -> Answer:
    told = done.as_dict()
    if told.pop("dryRun"):
        del told["id"]  # of a fork that is not made
    return told


@contextmanager
def _replayed() -> Iterator[None]:
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
DRY_REPLAY = Action(
    "DryReplay",
    Role.OPERATOR,
    False,
    DryReplayParams,
    DryReplayResult,
    "Tells what a retry, rewind or fork would come to, and changes nothing.",
    dry_replay,
)
