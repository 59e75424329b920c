"""From a caller, the name of an action and its fields to an answer: role, fields, idempotency, the action itself."""

from typing import Any

from pydantic import ValidationError

from runs.access import Forbidden, told_refused
from runs.api.actions import ACTIONS
from runs.api.actions.action import Action
from runs.api.actions.lookup import check_seen
from runs.api.caller import Caller
from runs.api.errors import ApiError
from runs.api.idempotency import Keeper, Raced
from runs.api.roles import allows
from runs.errors import BadSource, Refused
from runs.ids import is_id
from runs.tools.complaints import invalid_fields

CLIENT_REQUEST_ID = "clientRequestId"
Answer = tuple[int, dict[str, Any]]


def perform(caller: Caller, name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The answer, without its `_`; raises `ApiError`."""
    return answer(caller, name, fields)[1]


def answer(caller: Caller, name: str, fields: dict[str, Any]) -> Answer:
    """The same with its HTTP status: 201 where the answer says `created`. `fields` are those of the action alone, and
    `clientRequestId`; they are JSON values."""
    action = named(name)
    if not allows(caller.role, action.role):
        told_refused(caller.user, name, _run_id(fields))
        raise ApiError("role", f"{name} takes a key or token with the role {action.role}; this one is {caller.role}")
    given = dict(fields)
    client_request_id = given.pop(CLIENT_REQUEST_ID, None) if action.changes else None
    params = _params(action, given)
    if client_request_id is None:
        return _done(caller, action, params, None)
    keeper = Keeper(caller.user, client_request_id, name, given)
    return _kept(caller, keeper, given) or _once(caller, action, params, keeper, given)


def named(name: str) -> Action:
    """The action of that name; raises `ApiError`."""
    if name == "Subscribe":
        raise ApiError("only-on-socket", "Subscribe is a frame on the WebSocket at /ws/api; send it there")
    if (action := ACTIONS.get(name)) is None:
        raise ApiError("unknown-action", f"there is no action of that name; there are {', '.join(sorted(ACTIONS))}")
    return action


def _kept(caller: Caller, keeper: Keeper, given: dict[str, Any]) -> Answer | None:
    """The answer that was given before; to who may still see the runs that it tells of."""
    if (kept := keeper.found()) is not None:
        _, told = kept
        named = {_run_id(given), told.get("runId"), told.get("id"), told.get("run", {}).get("id")}
        try:
            check_seen(caller, named - {None, ""})
        except Refused as refused:
            raise _error(refused) from None
    return kept


def _run_id(given: dict[str, Any]) -> str:
    """The run that is asked about; "" where there is none, or where what was sent is the id of no run."""
    run_id = given.get("runId")
    return run_id if isinstance(run_id, str) and is_id(run_id) else ""


def _once(caller: Caller, action: Action, params: Any, keeper: Keeper, given: dict[str, Any]) -> Answer:
    """Does it, unless the same request is done meanwhile: whoever comes second is raced, or refused by what the first
    has made of the run, and gets the answer of the first."""
    try:
        return _done(caller, action, params, keeper)
    except Raced:
        if (kept := _kept(caller, keeper, given)) is not None:
            return kept
        raise ApiError("database", "the request was undone by another one; send it again") from None
    except ApiError:
        if (kept := _kept(caller, keeper, given)) is not None:
            return kept
        raise


def _done(caller: Caller, action: Action, params: Any, keeper: Keeper | None) -> Answer:
    def also(told: dict[str, Any]) -> None:
        if keeper is not None:
            keeper.also(_status(told), told)

    try:
        told = action.do(caller, params, also)
    except (Refused, Forbidden) as refused:
        raise _error(refused) from None
    return (_status(told), told) if keeper is None or not action.changes else keeper.settled(_status(told), told)


def _error(refused: Refused | Forbidden) -> ApiError:
    """What the product has refused, as an answer."""
    if isinstance(refused, Forbidden):
        return ApiError("forbidden", str(refused))
    details = {"findings": [found.as_dict() for found in refused.findings]} if isinstance(refused, BadSource) else None
    return ApiError(refused.code, str(refused), details=details)


def _status(told: dict[str, Any]) -> int:
    return 201 if told.get("created") is True else 200


def _params(action: Action, given: dict[str, Any]) -> Any:
    try:
        return action.Params.model_validate(given)
    except ValidationError as error:
        names = [field.alias or name for name, field in action.Params.model_fields.items()]
        complaint = invalid_fields(action.name, error.errors(include_url=False), given, names)
        raise ApiError("invalid-input", complaint.message, details=complaint.detail) from None
