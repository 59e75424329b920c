"""The JSON form with a token."""

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from runs.api import dispatch, tokens
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.errors import BadInput
from runs.models import ApiToken, Script

pytestmark = pytest.mark.django_db(transaction=True)
Unchanged = Callable[[], Any]


@pytest.fixture
def token(ada: User) -> str:
    """Ada's, as an owner."""
    return tokens.make(ada, "laptop", Role.OWNER, None, ada)[1]


@pytest.fixture
def ask() -> Callable[..., Any]:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)

    def post(name: str, token: str, fields: Any = None, **extra: Any) -> Any:
        data = fields if isinstance(fields, bytes) else json.dumps({} if fields is None else fields)
        headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        return client.generic("POST", f"/api/{name}", data, content_type="application/json", **headers, **extra)

    return post


def refused(response: Any, code: str, status: int) -> dict[str, Any]:
    told = response.json()
    assert (told["_"], told["code"], response.status_code) == ("Error", code, status), told
    return told


def test_a_change_is_made_and_answered(ask: Callable[..., Any], token: str) -> None:
    response = ask("Note", token, {"name": "one", "clientRequestId": "monday"})
    assert (response.status_code, response["Content-Type"]) == (201, "application/json")
    assert response.json() == {"_": "Note", "name": "one", "created": True, "by": "ada"}
    assert not response.cookies
    again = ask("Note", token, {"clientRequestId": "monday", "name": "one"})
    assert (again.status_code, again.content) == (201, response.content)
    refused(ask("Note", token, {"name": "two", "clientRequestId": "monday"}), "request-id-reused", 409)
    assert Script.objects.count() == 1


def test_text_that_is_no_unicode_goes_in_and_out(ask: Callable[..., Any], token: str) -> None:
    value = {"\ud800": "\udfff", "é": [1.5, -1, None, True]}
    assert ask("Look", token, {"name": "", "value": value}).json()["echo"] == value


def test_a_token_is_kept_as_a_hash_and_its_making_is_in_the_log(ada: User) -> None:
    row, text = tokens.make(ada, " laptop ", Role.READER, None, ada)
    _, public_id, secret = text.split("_", 2)
    kept = json.dumps(
        [list(map(str, ApiToken.objects.values_list().get())), *LogEntry.objects.values_list()], default=str
    )
    assert secret not in kept
    assert len(bytes(row.secret_sha256)) == 32
    assert (row.public_id, row.name) == (public_id, "laptop")
    assert LogEntry.objects.get().change_message == f"made the token {public_id} of ada as reader"
    assert tokens.make(ada, "laptop", Role.READER, None, ada)[1] != text


def test_wrong_tokens_are_told_alike(
    ask: Callable[..., Any], ada: User, token: str, person: Callable[..., User], unchanged: Unchanged
) -> None:
    revoked, revoked_text = tokens.make(ada, "revoked", Role.OWNER, None, ada)
    assert revoke(revoked, ada)
    assert not revoke(revoked, ada)
    expired, expired_text = tokens.make(ada, "expired", Role.OWNER, timezone.now() + timedelta(days=1), ada)
    ApiToken.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    gone = person("gone")
    gone_text = tokens.make(gone, "gone", Role.OWNER, None, gone)[1]
    User.objects.filter(pk=gone.pk).update(is_active=False)
    head, public_id, secret = token.split("_", 2)
    wrong = [
        "", "x", revoked_text, expired_text, gone_text, token[:-1], token + "A", f"{head}_{'0' * 16}_{secret}",
        f"{head}_{public_id}_{'A' * 43}", f"{head}_{public_id}_{secret[::-1]}", f"other_{public_id}_{secret}", "\0",
        f"{head}_{public_id}", secret, f"{token} {token}", "é" * 60,
    ]  # fmt: skip
    with unchanged():
        answers = [ask("Note", text, {"name": "one"}) for text in wrong]
        answers.append(ask("Note", "", {"name": "one"}, HTTP_AUTHORIZATION=f"Basic {token}"))
    assert {answer.content for answer in answers} == {answers[0].content}
    assert {(answer.status_code, answer["WWW-Authenticate"]) for answer in answers} == {(401, 'Bearer realm="daybook"')}
    refused(answers[0], "bad-token", 401)


def test_a_body_that_is_no_object_is_refused(ask: Callable[..., Any], token: str, unchanged: Unchanged) -> None:
    ask("Look", token, {"name": ""})
    with unchanged():
        for body in (b" ", b"[]", b"1", b"{", b'{"name": NaN}', b'{"name": "a", "name": "b"}', b"\xff", b"[" * 10_000):
            refused(ask("Note", token, body), "bad-message", 400)
        refused(ask("Nothing", token), "unknown-action", 404)
        refused(ask("Subscribe", token), "only-on-socket", 400)


def test_a_role_is_a_cap(ask: Callable[..., Any], ada: User) -> None:
    text = tokens.make(ada, "reader", Role.READER, None, ada)[1]
    refused(ask("Note", text, {"name": "one"}), "role", 403)
    assert ask("Look", text, {"name": ""}).status_code == 200


def test_another_method_or_type_is_refused(token: str) -> None:
    client = Client()
    assert client.get("/api/Look").status_code == 405
    response = client.post("/api/Look", {"name": ""}, HTTP_AUTHORIZATION=f"Bearer {token}")
    refused(response, "content-type", 415)


def test_over_the_limit_is_refused(ask: Callable[..., Any], token: str, settings: Any, unchanged: Unchanged) -> None:
    settings.DAYBOOK = settings.DAYBOOK | {"api_rate": 2, "api_max_bytes": 100}
    look = {"name": ""}
    assert [ask("Look", token, look).status_code for _ in range(3)] == [200, 200, 429]
    with unchanged():
        assert int(ask("Note", token, look)["Retry-After"]) <= 60


def test_a_body_that_is_too_large_is_refused(ask: Callable[..., Any], token: str, settings: Any) -> None:
    settings.DAYBOOK = settings.DAYBOOK | {"api_max_bytes": 100}
    refused(ask("Look", token, {"name": "x" * 100}), "too-large", 413)


def test_who_guesses_has_to_wait_and_who_does_not_need_not(
    ask: Callable[..., Any], token: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "runs.access")
    statuses = [ask("Look", "wrong").status_code for _ in range(70)]
    assert statuses == [401] * 60 + [429] * 10
    assert len([record for record in caplog.records if record.name == "runs.access"]) == 60
    assert ask("Look", token, {"name": ""}).status_code == 200
    assert ask("Look", "wrong", REMOTE_ADDR="2001:db8::1").status_code == 401


def test_who_guesses_behind_a_trusted_proxy_keeps_no_other_from_it(ask: Callable[..., Any], settings: Any) -> None:
    settings.DAYBOOK = settings.DAYBOOK | {"proxies": ("10.0.0.7",)}

    def guess(by: str) -> int:
        status: int = ask("Look", "wrong", REMOTE_ADDR="10.0.0.7", HTTP_X_FORWARDED_FOR=by).status_code
        return status

    assert [guess(f"198.51.100.{number}, 192.0.2.1") for number in range(61)] == [401] * 60 + [429]
    assert guess("192.0.2.2") == 401


def test_a_database_that_is_away_is_told_as_that(
    ask: Callable[..., Any], token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> Any:
        raise OperationalError("the server is away")

    monkeypatch.setattr(dispatch, "answer", away)
    response = ask("Look", token, {"name": ""})
    refused(response, "database", 503)
    assert response["Retry-After"] == "5"


def test_a_fault_of_the_platform_is_told_without_its_inside(
    ask: Callable[..., Any], token: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("the inside")

    monkeypatch.setattr(dispatch, "answer", broken)
    told = refused(ask("Look", token, {"name": ""}), "internal-error", 500)
    assert "inside" not in json.dumps(told)
    assert "RuntimeError: the inside" in caplog.text


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "\0", "\ud800"])
def test_a_name_is_needed(ada: User, name: str) -> None:
    with pytest.raises(BadInput):
        tokens.make(ada, name, Role.READER, None, ada)


def test_what_has_expired_cannot_be_made(ada: User) -> None:
    with pytest.raises(BadInput, match="over"):
        tokens.make(ada, "late", Role.READER, timezone.now(), ada)
