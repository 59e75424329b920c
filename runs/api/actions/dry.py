"""DryReplay: what going on from a call of a run would come to, before it is done."""

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from runs import operations
from runs.access import Verb, require
from runs.api.actions.action import Action, Also, Answer, Params
from runs.api.actions.again import ANOTHER, answer_of, replayed, result_of
from runs.api.actions.fields import CallSeq, OneOf, RunId, Source
from runs.api.actions.looking import EXAMPLE_ID
from runs.api.actions.lookup import run_for
from runs.api.actions.shapes import Replay
from runs.api.caller import Caller
from runs.api.roles import Role

_A_CALL: Any = {"type": "integer"}


class DryReplayParams(Params):
    model_config = {
        "json_schema_extra": {
            "examples": [{"runId": EXAMPLE_ID, "verb": "retry"}],
            "oneOf": [
                {"properties": {"verb": {"const": "retry"}, "result": False}},
                {"properties": {"verb": {"const": "rewind"}, "call": _A_CALL, "result": False}, "required": ["call"]},
                {"properties": {"verb": {"const": "fork"}, "call": _A_CALL}, "required": ["call"]},
            ],
        }
    }

    run_id: RunId
    verb: Annotated[str, OneOf(("retry", "rewind", "fork"))]
    call: Annotated[
        CallSeq | None,
        Field(description="As of RetryRun and ForkRun; rewind and fork need it.", validate_default=True),
    ] = None
    source: Annotated[
        Source | None, Field(description="With this script instead of the run's own; takes runs.start_run.")
    ] = None
    result: Annotated[Any, Field(description=f"Of a fork: {ANOTHER[0].lower()}{ANOTHER[1:]}")] = None

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
    with replayed():
        if params.verb == "retry":
            done = operations.retry(run.pk, call=params.call, **how)
        elif params.verb == "rewind":
            done = operations.rewind(run.pk, params.call or 0, **how)
        else:
            done = operations.fork(run.pk, params.call or 0, **result_of(params), **how)
    return answer_of(done) | {"runId": run.pk}


DRY_REPLAY = Action(
    "DryReplay",
    Role.OPERATOR,
    False,
    DryReplayParams,
    DryReplayResult,
    "Tells what a retry, rewind or fork would come to, and changes nothing.",
    dry_replay,
)
