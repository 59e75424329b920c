"""The signed form: what is taken, and that everything else is refused with nothing changed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest import mock

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from rows import everything, registered
from signing import cbor, envelope, fresh_nonce, now_ms, post, private_key, public_bytes, signed

from runs.api import keys
from runs.api.envelope import SMALL
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.models import ApiKey, ApiNonce, ApiRequest, Script

pytestmark = pytest.mark.django_db(transaction=True)
NOTE = {"_": "Note", "name": "one"}
Unchanged = Callable[[], Any]


def refused(response: Any, code: str, status: int) -> dict[str, Any]:
    told = cbor2.loads(response.content)
    assert (told["_"], told["code"], response.status_code) == ("Error", code, status), told
    assert response["Content-Type"] == "application/cbor"
    return told


def test_a_signed_change_is_made_and_answered(ada_key: Ed25519PrivateKey) -> None:
    response = post(signed(ada_key, "ada", NOTE))
    assert (response.status_code, response["Content-Type"]) == (201, "application/cbor")
    assert cbor2.loads(response.content) == {"_": "Note", "name": "one", "created": True, "by": "ada"}
    assert Script.objects.get().name == "one"


def test_a_signed_read_is_answered(ada_key: Ed25519PrivateKey) -> None:
    value = {"b": [1, -2, None, True, "ü"], "a": {}}
    response = post(signed(ada_key, "ada", {"_": "Look", "name": "", "value": value}))
    assert (response.status_code, cbor2.loads(response.content)) == (200, {"_": "Look", "names": [], "echo": value})


def test_no_cookie_is_set_and_none_is_asked_for(ada_key: Ed25519PrivateKey) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post("/api/message", signed(ada_key, "ada", NOTE), content_type="application/cbor")
    assert response.status_code == 201
    assert not response.cookies
    assert response["Cache-Control"] == "no-store"


def test_a_message_that_is_tampered_with_at_any_byte_is_refused(
    ada_key: Ed25519PrivateKey, unchanged: Unchanged
) -> None:
    # Ahead of the clock, so that it is good at the end, however slow the machine is.
    data = signed(ada_key, "ada", NOTE | {"value": {"n": 1}, "clientRequestId": "monday", "ts": now_ms() + 28_000})
    with unchanged():
        for at in range(len(data)):
            for bit in (0, 7):
                response = post(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
                assert response.status_code in (400, 401, 429), (at, bit)
        for cut in range(1, len(data)):
            assert post(data[:cut]).status_code == 400
        assert post(data + b"\0").status_code == 400
    assert post(data).status_code == 201


@pytest.mark.parametrize("off", [-30_500, 30_500, -(10**9), 10**12])
def test_a_message_of_another_time_is_refused(ada_key: Ed25519PrivateKey, unchanged: Unchanged, off: int) -> None:
    with unchanged():
        told = refused(post(signed(ada_key, "ada", NOTE | {"ts": now_ms() + off})), "stale", 400)
    assert abs(told["details"]["now"] - now_ms()) < 30_000


@pytest.mark.parametrize("off", [-28_000, 28_000])
def test_clocks_may_differ_a_little(ada_key: Ed25519PrivateKey, off: int) -> None:
    assert post(signed(ada_key, "ada", NOTE | {"ts": now_ms() + off})).status_code == 201


def test_a_message_is_taken_once(ada_key: Ed25519PrivateKey, unchanged: Unchanged) -> None:
    data = signed(ada_key, "ada", {"_": "Look", "name": ""})
    assert post(data).status_code == 200
    with unchanged():
        refused(post(data), "replayed", 409)


def test_a_nonce_is_used_once_whatever_it_is_signed_with(ada_key: Ed25519PrivateKey, unchanged: Unchanged) -> None:
    nonce = fresh_nonce()
    assert post(signed(ada_key, "ada", {"_": "Look", "name": "", "nonce": nonce})).status_code == 200
    with unchanged():
        refused(post(signed(ada_key, "ada", NOTE | {"nonce": nonce})), "replayed", 409)
    other = registered(User.objects.get(), "another", Role.READER)
    assert post(signed(other, "ada", {"_": "Look", "name": "", "nonce": nonce})).status_code == 200


def test_what_is_wrong_with_an_identity_is_told_alike(
    ada: User, ada_key: Ed25519PrivateKey, person: Callable[..., User], unchanged: Unchanged
) -> None:
    unknown = private_key("nobody's")
    revoked = registered(ada, "revoked", Role.OWNER)
    revoke(keys.find(public_bytes(revoked)), ada)  # type: ignore[arg-type]
    expired = registered(ada, "expired", Role.OWNER, timezone.now() + timedelta(days=1))
    ApiKey.objects.filter(name="expired").update(expires_at=timezone.now() - timedelta(seconds=1))
    gone = person("gone", "start")
    inactive = registered(gone, "inactive", Role.OWNER)
    User.objects.filter(pk=gone.pk).update(is_active=False)
    forged = envelope(ada_key, "ada", NOTE)
    forged["sig"] = unknown.sign(cbor(forged))
    messages = [
        signed(unknown, "ada", NOTE),
        signed(unknown, "nobody", NOTE),
        signed(revoked, "ada", NOTE),
        signed(expired, "ada", NOTE),
        signed(inactive, "gone", NOTE),
        cbor(forged),
    ]
    with unchanged():
        answers = [post(message) for message in messages]
    assert {answer.content for answer in answers} == {answers[0].content}
    assert {answer.status_code for answer in answers} == {401}
    refused(answers[0], "bad-signature", 401)


def test_another_account_is_refused(
    ada_key: Ed25519PrivateKey, person: Callable[..., User], unchanged: Unchanged
) -> None:
    person("vera", "start")
    with unchanged():
        for account in ("vera", "nobody", "Ada", "ada "):
            refused(post(signed(ada_key, account, NOTE)), "wrong-account", 401)


def test_over_the_limit_is_refused_with_nothing_changed(
    ada_key: Ed25519PrivateKey, unchanged: Unchanged, settings: Any
) -> None:
    settings.DAYBOOK = settings.DAYBOOK | {"api_rate": 3}
    assert [post(signed(ada_key, "ada", {"_": "Look", "name": ""})).status_code for _ in range(3)] == [200] * 3
    with unchanged():
        response = post(signed(ada_key, "ada", NOTE))
        refused(response, "rate-limited", 429)
    assert 1 <= int(response["Retry-After"]) <= 60
    other = registered(User.objects.get(), "another", Role.READER)
    assert post(signed(other, "ada", {"_": "Look", "name": ""})).status_code == 200


def test_what_is_too_large_is_refused(ada_key: Ed25519PrivateKey, unchanged: Unchanged, settings: Any) -> None:
    data = signed(ada_key, "ada", NOTE | {"value": "x" * 2000})
    settings.DAYBOOK = settings.DAYBOOK | {"api_max_bytes": len(data) - 1}
    with unchanged():
        refused(post(data), "too-large", 413)
        refused(post(b"\0", CONTENT_LENGTH=str(10**15)), "too-large", 413)
    settings.DAYBOOK = settings.DAYBOOK | {"api_max_bytes": len(data)}
    assert post(data).status_code == 201


def test_another_method_or_type_is_refused(ada_key: Ed25519PrivateKey, unchanged: Unchanged) -> None:
    data = signed(ada_key, "ada", NOTE)
    client = Client()
    with unchanged():
        for method in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD"):
            response = client.generic(method, "/api/message", data, content_type="application/cbor")
            assert (response.status_code, response["Allow"]) == (405, "POST")
        for kind in ("application/json", "text/plain", "application/cbor-seq", "multipart/form-data; boundary=x"):
            refused(client.generic("POST", "/api/message", data, content_type=kind), "content-type", 415)


SHAPES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no map": lambda message: [],
    "another type": lambda message: message | {"type": "Other"},
    "one more": lambda message: message | {"more": 1},
    "none": lambda message: {},
    "a short signer": lambda message: message | {"signer": message["signer"][:31]},
    "a signer of text": lambda message: message | {"signer": "x" * 32},
    "an account that is none": lambda message: message | {"account": ""},
    "an account of bytes": lambda message: message | {"account": b"ada"},
    "a long account": lambda message: message | {"account": "a" * 151},
    "an action that is no map": lambda message: message | {"action": []},
    "no name": lambda message: message | {"action": {}},
    "a name that is none": lambda message: message | {"action": message["action"] | {"_": 1}},
    "a time of text": lambda message: message | {"action": message["action"] | {"ts": "now"}},
    "a time before all": lambda message: message | {"action": message["action"] | {"ts": -1}},
    "a time beyond all": lambda message: message | {"action": message["action"] | {"ts": 2**53}},
    "a time that is true": lambda message: message | {"action": message["action"] | {"ts": True}},
    "a short nonce": lambda message: message | {"action": message["action"] | {"nonce": b"x" * 15}},
    "a long nonce": lambda message: message | {"action": message["action"] | {"nonce": b"x" * 33}},
    "a nonce of text": lambda message: message | {"action": message["action"] | {"nonce": "x" * 16}},
    "bytes in a field": lambda message: message | {"action": message["action"] | {"name": b"one"}},
    "bytes deep in a field": lambda message: message | {"action": message["action"] | {"value": [{"a": [b"x"]}]}},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_another_shape_is_refused_however_it_is_signed(
    ada_key: Ed25519PrivateKey, unchanged: Unchanged, shape: Callable[[dict[str, Any]], Any]
) -> None:
    message = shape(envelope(ada_key, "ada", NOTE))
    if isinstance(message, dict):
        message["sig"] = ada_key.sign(cbor(message))
    with unchanged():
        refused(post(cbor(message)), "bad-message", 400)


def test_a_time_that_is_a_float_is_refused(ada_key: Ed25519PrivateKey, unchanged: Unchanged) -> None:
    message = envelope(ada_key, "ada", NOTE)
    message["action"]["ts"] = float(message["action"]["ts"])
    message["sig"] = ada_key.sign(cbor2.dumps(message, canonical=True))
    with unchanged():
        refused(post(cbor2.dumps(message, canonical=True)), "bad-message", 400)


def test_a_signature_over_other_bytes_of_the_same_message_is_refused(
    ada_key: Ed25519PrivateKey, unchanged: Unchanged
) -> None:
    """Signed and sent in another order of keys, or with the signature over what is not canonical."""
    message = envelope(ada_key, "ada", NOTE)
    loose = cbor2.dumps(message)
    with unchanged():
        refused(post(cbor2.dumps(message | {"sig": ada_key.sign(loose)})), "not-canonical", 400)
        refused(post(cbor(message | {"sig": ada_key.sign(loose)})), "bad-signature", 401)


def test_what_is_refused_after_that_has_used_its_nonce_and_nothing_else(ada: User) -> None:
    reader = registered(ada, "reader", Role.READER)
    before = everything()
    for action, code, status in (
        (NOTE, "role", 403),
        ({"_": "Look", "name": 1}, "invalid-input", 422),
        ({"_": "Nothing"}, "unknown-action", 404),
        ({"_": "Subscribe", "key": "runs/x"}, "only-on-socket", 400),
    ):
        refused(post(signed(reader, "ada", action)), code, status)
    after = everything()
    assert len(after.pop("ApiNonce")) == 4
    before.pop("ApiNonce")
    for rows in (before, after):  # when a key was used last is noted with every message of it
        rows["ApiKey"] = [row[:6] for row in rows["ApiKey"]]
    assert before == after


def test_the_same_request_signed_anew_gets_the_same_answer(ada_key: Ed25519PrivateKey) -> None:
    action = NOTE | {"clientRequestId": "monday"}
    first, second = post(signed(ada_key, "ada", action)), post(signed(ada_key, "ada", action))
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert ApiRequest.objects.count() == Script.objects.count() == 1
    refused(post(signed(ada_key, "ada", action | {"name": "two"})), "request-id-reused", 409)
    assert ApiNonce.objects.count() == 3


def test_the_last_use_of_a_key_is_noted_to_the_minute(ada_key: Ed25519PrivateKey) -> None:
    look = {"_": "Look", "name": ""}
    post(signed(ada_key, "ada", look))
    first = ApiKey.objects.get().last_used_at
    assert first is not None
    post(signed(ada_key, "ada", look))
    assert ApiKey.objects.get().last_used_at == first
    ApiKey.objects.update(last_used_at=first - timedelta(minutes=2))
    post(signed(ada_key, "ada", look))
    assert ApiKey.objects.get().last_used_at > first


LARGE = {"value": ["x" * 1000] * 20}


def test_a_large_message_is_taken_as_a_small_one(ada_key: Ed25519PrivateKey, unchanged: Unchanged) -> None:
    data = signed(ada_key, "ada", NOTE | LARGE)
    assert len(data) > SMALL
    with unchanged():
        for at in (0, 3, 7, 70, 71, 90, 5000, len(data) - 60, len(data) - 5, len(data) - 1):
            response = post(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            assert response.status_code in (400, 401), at
        refused(post(cbor2.dumps(dict(reversed(cbor2.loads(data).items())))), "not-canonical", 400)
        refused(post(signed(private_key("nobody's"), "ada", NOTE | LARGE)), "bad-signature", 401)
        refused(post(signed(ada_key, "vera", NOTE | LARGE)), "wrong-account", 401)
    assert post(data).status_code == 201
    with unchanged():
        refused(post(data), "replayed", 409)


def test_a_large_message_with_a_long_account_is_read_too(person: Callable[..., User]) -> None:
    for name in ("a", "b" * 23, "c" * 24, "é" * 150):
        key = registered(person(name, "start"), name[:30], Role.OWNER)
        assert post(signed(key, name, {"_": "Look", "name": ""} | LARGE)).status_code == 200


def test_a_large_message_of_a_stranger_is_not_read(ada_key: Ed25519PrivateKey, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is signed; what is read is what costs."""
    read = mock.Mock(side_effect=AssertionError("it was read"))
    monkeypatch.setattr("runs.api.wire.read_cbor", read)
    data = signed(private_key("nobody's"), "ada", NOTE | LARGE)
    assert [post(each).status_code for each in (data, bytes(len(data)), b"\x80" * 1_000_000)] == [401, 400, 400]
    read.assert_not_called()


def test_a_large_message_is_what_it_claims_to_be(ada_key: Ed25519PrivateKey, unchanged: Unchanged) -> None:
    """Whose end looks like that of a message within a text of its account."""
    inner = cbor({"signer": public_bytes(ada_key), "account": "ada"})[1:]
    message = envelope(private_key("nobody's"), "ada", NOTE | LARGE) | {"account": inner.decode("latin-1")}
    message["sig"] = ada_key.sign(cbor(message))
    with unchanged():
        assert post(cbor(message)).status_code in (400, 401)
