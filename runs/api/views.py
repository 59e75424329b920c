"""The two ways in: a signed message, and one action as JSON with a token. Neither knows cookies, so neither can be
misused by a page elsewhere, and the CSRF check has nothing to do."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from runs.api import dispatch, identity, wire
from runs.api.answers import CBOR, JSON, answered, body, posted
from runs.api.errors import ApiError
from runs.visitors import address_of, place_of


@csrf_exempt
@posted(CBOR)
def message(request: HttpRequest) -> HttpResponse:
    """POST /api/message: the envelope names the action."""
    caller, envelope = identity.by_signature(body(request), place_of(address_of(request.META)))
    status, told = dispatch.answer(caller, envelope.name, envelope.fields)
    return answered(CBOR, caller, envelope.name, status, told)


@csrf_exempt
@posted(JSON)
def action(request: HttpRequest, name: str) -> HttpResponse:
    """POST /api/<Action>: the body has its fields."""
    caller = identity.by_token(request.headers.get("Authorization", ""), place_of(address_of(request.META)))
    fields = wire.read_json(body(request))
    if not isinstance(fields, dict):
        raise ApiError("bad-message", "the body is a JSON object: the fields of the action")
    status, told = dispatch.answer(caller, name, fields)
    return answered(JSON, caller, name, status, told)
