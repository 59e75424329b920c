"""What is asked again, how often, and what stays the same meanwhile."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import cbor2
import httpx
import pytest

from runs.client import AsyncDaybook, Credentials, DaybookError, Key, Token
from runs.client.patience import Patience

Handler = Callable[[httpx.Request], httpx.Response]


def asked(handler: Handler, credentials: Credentials | None = None, patience: float = 5) -> Any:
    async def work() -> Any:
        async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as http:
            daybook = AsyncDaybook("http://d", credentials or Token("daybook_t"), patience=patience, http=http)
            return await daybook.start("export default () => 1")

    return asyncio.run(work())


def answering(*answers: httpx.Response | Exception) -> tuple[Handler, list[httpx.Request]]:
    """A server that answers so, one after the other, and what it was sent."""
    seen: list[httpx.Request] = []
    rest = iter(answers)

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        answer = next(rest)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return handler, seen


def done() -> httpx.Response:
    return httpx.Response(201, json={"_": "StartRun", "created": True})


def refused(status: int, code: str = "busy", **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"_": "Error", "code": code, "message": "m", "details": [1]}, headers=headers)


def test_failures_that_pass_are_asked_again_with_the_same_request_id() -> None:
    handler, seen = answering(
        httpx.ConnectError("refused"),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("cut"),
        refused(429, **{"Retry-After": "0"}),
        refused(503),
        httpx.Response(502, text="<html>"),
        done(),
    )
    assert asked(handler, patience=60) == {"created": True}
    bodies = [json.loads(request.content) for request in seen]
    assert len(bodies) == 7
    assert all(told == bodies[0] and len(told["clientRequestId"]) == 36 for told in bodies)
    assert {request.headers["Authorization"] for request in seen} == {"Bearer daybook_t"}
    assert {request.url.path for request in seen} == {"/api/StartRun"}


def test_a_message_is_signed_anew_for_each_attempt() -> None:
    handler, seen = answering(refused(503), done())
    asked(handler, Key(bytes(32), "ana"))
    first, second = (cbor2.loads(request.content)["action"] for request in seen)
    assert first["nonce"] != second["nonce"]
    assert first["clientRequestId"] == second["clientRequestId"]


def test_two_calls_are_two_requests() -> None:
    handler, seen = answering(done(), done())
    asked(handler)
    asked(handler)
    first, second = (json.loads(request.content)["clientRequestId"] for request in seen)
    assert first != second


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500])
def test_what_would_be_refused_again_is_raised_at_once(status: int) -> None:
    handler, seen = answering(refused(status, "no"))
    with pytest.raises(DaybookError, match="no: m") as raised:
        asked(handler)
    error = raised.value
    assert (error.code, error.message, error.details, error.status) == ("no", "m", [1], status)
    assert len(seen) == 1


def test_a_longer_wait_than_patience_is_not_begun() -> None:
    handler, seen = answering(refused(429, "rate-limited", **{"Retry-After": "40"}))
    with pytest.raises(DaybookError) as raised:
        asked(handler)
    assert (raised.value.code, raised.value.status, len(seen)) == ("rate-limited", 429, 1)


def test_who_does_not_answer_is_given_up_at_last() -> None:
    def never(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(DaybookError, match="http://d does not answer: refused") as raised:
        asked(never, patience=0.2)
    assert (raised.value.code, raised.value.status) == ("unreachable", None)


@pytest.mark.parametrize("response", [httpx.Response(200, text="<html>"), httpx.Response(301), httpx.Response(404)])
def test_an_answer_that_is_none_of_ours_is_told_as_such(response: httpx.Response) -> None:
    handler, _ = answering(response)
    with pytest.raises(DaybookError) as raised:
        asked(handler)
    assert (raised.value.code, raised.value.status) == ("not-daybook", response.status_code)


def test_pauses_grow_and_end_before_patience_does() -> None:
    patience = Patience(1000)
    for attempt in range(40):
        pause = patience.pause()
        longest = min(5, 0.1 * 2**attempt)
        assert pause is not None
        assert longest / 2 <= pause <= longest
    assert patience.pause(999) == 999
    assert patience.pause(1001) is None
    assert Patience(0).pause() is None
