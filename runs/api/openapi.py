"""The OpenAPI 3.1 document of the JSON form, made of the actions themselves: what is checked is what is told.

https://spec.openapis.org/oas/v3.1.0
"""

from typing import Any

from pydantic import BaseModel

from runs.api.actions import ACTIONS, Action
from runs.api.actions.fields import SOMETHING
from runs.api.errors import STATUS
from runs.api.idempotency import ID_MAX
from runs.conf import conf

JSON = "application/json"
DESCRIPTION = """\
Each action is a POST of a JSON object, its fields, with a token in the header `Authorization`. An answer names its
action in `_`; a refusal is `{"_": "Error", "code", "message", "details"?}`: the code is stable, the message says what
to do, and nothing was changed. An action that changes something takes a `clientRequestId`: the same id with the same
fields gives the same answer and changes nothing a second time. A token has a role, reader, operator or owner, which is
the most that it may be used for; the permissions of its user are asked besides. The signed form of the same actions, in
CBOR, and the WebSocket are described in runs/api/README.md.
"""
# What each status means, for every action unless `_statuses` leaves it out.
REFUSALS = {
    400: "The body is not a JSON object.",
    401: "The token is missing, unknown, expired or revoked.",
    403: "The role of the token, or a permission of its user, does not allow it.",
    404: "There is no such run or script, or it is not the user's to see.",
    405: "Not a POST.",
    409: "The state of the run does not allow it, or the key or the clientRequestId stands for something else.",
    413: "The body is larger than the server takes (DAYBOOK_API_MAX_BYTES).",
    415: "Not application/json.",
    422: "A field is missing, unknown or not as it should be, or the script does not pass the lint.",
    429: "More requests than the token may send in a minute.",
    500: "A fault of the platform, not of the request.",
    503: "The database does not answer; the same request may be sent again.",
}
HEADERS = {
    401: {"WWW-Authenticate": "How to say who calls."},
    405: {"Allow": "The method to use."},
    429: {"Retry-After": "Seconds."},
    503: {"Retry-After": "Seconds."},
}
REQUEST_ID = {
    "anyOf": [{"type": "string", "minLength": 1, "maxLength": ID_MAX, "pattern": SOMETHING}, {"type": "null"}],
    "description": "Names this one change: sent again with the same fields, it gives the same answer and changes"
    " nothing; with others it is refused with 409. Kept for a week at least.",
}


def document() -> dict[str, Any]:
    """JSON values; new each time."""
    schemas: dict[str, Any] = {"Error": _error()}
    paths = {f"/api/{action.name}": {"post": _operation(action, schemas)} for action in ACTIONS.values()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Daybook", "version": "1", "summary": "Durable runs of scripts", "description": DESCRIPTION},
        "servers": [{"url": conf().base_url}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {f"Refused{status}": _refusal(status) for status in REFUSALS},
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "daybook_<id>_<secret>",
                    "description": "A token, shown once when it is made.",
                }
            },
        },
    }


def _operation(action: Action, schemas: dict[str, Any]) -> dict[str, Any]:
    fields = _schema(action.Params, "validation", schemas)
    example = (fields.pop("examples", None) or [{}])[0]
    if action.changes:
        fields["properties"]["clientRequestId"] = REQUEST_ID
    schemas[f"{action.name}Fields"] = fields
    answer = _schema(action.Result, "serialization", schemas)
    answer["properties"] = {"_": {"const": action.name, "type": "string"}, **answer["properties"]}
    answer["required"] = ["_", *answer.get("required", [])]
    schemas[f"{action.name}Answer"] = answer
    content = {JSON: {"schema": _ref(f"{action.name}Answer")}}
    done = {"200": {"description": "Done." if action.changes else "The answer.", "content": content}}
    if "created" in action.Result.model_fields:
        done["200"]["description"] = "The key has named a run that was there already; nothing was changed."
        done["201"] = {"description": "The run was made.", "content": content}
    refused = {str(status): {"$ref": f"#/components/responses/Refused{status}"} for status in _statuses(action)}
    return {
        "operationId": action.name,
        "summary": action.summary,
        "description": f"Takes a token of the role {action.role.value}, or one that includes it.",
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": _ref(f"{action.name}Fields"), "example": example}},
        },
        "responses": done | refused,
    }


def _statuses(action: Action) -> list[int]:
    """Of its refusals."""
    of_a_run = {"run_id", "script"} & set(action.Params.model_fields) and action.name != "ListRuns"
    return [status for status in REFUSALS if of_a_run or status not in (404, 409)]


def _schema(model: type[BaseModel], mode: Any, schemas: dict[str, Any]) -> dict[str, Any]:
    """That of the model itself; those that it refers to are put among the others."""
    made = model.model_json_schema(mode=mode, ref_template="#/components/schemas/{model}")
    for name, schema in made.pop("$defs", {}).items():
        schemas[name] = _plain(schema)
    return {"type": "object", "properties": {}, **_plain(made)}


def _plain(schema: Any) -> Any:
    """Without the titles that pydantic makes of names, and the defaults that stand for what is left out; what a field
    means stands beside its kinds."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    left = {name: value for name, value in schema.items() if not (name == "title" and isinstance(value, str))}
    if left.get("default", ...) in (None, "", []):
        del left["default"]
    made = {name: value if name in ("examples", "enum") else _plain(value) for name, value in left.items()}
    for kind in made.get("anyOf", []):
        if (words := kind.pop("description", None)) is not None:
            made.setdefault("description", words)
    return made


def _refusal(status: int) -> dict[str, Any]:
    codes = sorted(code for code, its in STATUS.items() if its == status and code not in _OF_MESSAGES)
    example = {"_": "Error", "code": codes[0] if codes else "invalid-input", "message": REFUSALS[status]}
    made: dict[str, Any] = {
        "description": REFUSALS[status] + (f" Codes: {', '.join(codes)}." if codes else ""),
        "content": {JSON: {"schema": _ref("Error"), "example": example}},
    }
    if told := HEADERS.get(status):
        made["headers"] = {
            name: {"description": words, "required": True, "schema": {"type": "string"}} for name, words in told.items()
        }
    return made


_OF_MESSAGES = {"not-canonical", "stale", "bad-signature", "wrong-account", "replayed", "only-on-socket"}


def _error() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["_", "code", "message"],
        "properties": {
            "_": {"const": "Error", "type": "string"},
            "code": {"type": "string", "description": "Stable; a program goes by it."},
            "message": {"type": "string", "description": "For people: what is wrong, and what to do."},
            "details": {
                "description": "Of invalid-input, a list of {field, message}; of lint, {findings}; else left out."
            },
        },
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
