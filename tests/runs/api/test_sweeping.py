"""What is no longer needed goes in passing: nonces and kept answers, in bounded batches, and not before their time."""

from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.utils import timezone
from signing import now_ms, post, signed

from runs.api import dispatch, idempotency, nonces
from runs.api.caller import Caller
from runs.api.sweeping import Sweep
from runs.models import ApiKey, ApiNonce, ApiRequest

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_nonce_is_kept_for_a_minute_beyond_its_time_and_then_goes(
    ada_key: Ed25519PrivateKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nonces, "_sweep", Sweep(every=1, batch=10))
    ts = now_ms() + 20_000
    post(signed(ada_key, "ada", {"_": "Look", "name": "", "ts": ts}))
    (kept,) = ApiNonce.objects.all()
    assert kept.expires_at.timestamp() * 1000 == pytest.approx(ts + 90_000, abs=1)
    key = ApiKey.objects.get()
    old = [ApiNonce(key=key, nonce=bytes([n]) * 16, expires_at=timezone.now()) for n in range(25)]
    ApiNonce.objects.bulk_create(old)
    left = []
    for _ in range(3):
        post(signed(ada_key, "ada", {"_": "Look", "name": ""}))
        left.append(ApiNonce.objects.count())
    assert left == [17, 8, 4]
    assert ApiNonce.objects.filter(pk=kept.pk).exists()


def test_an_answer_is_kept_for_a_week(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "_sweep", Sweep(every=1, batch=10))
    for days, name in ((7, "young"), (9, "old")):
        dispatch.perform(owner, "Note", {"name": name, "clientRequestId": name})
        at = timezone.now() - timedelta(days=days)
        ApiRequest.objects.filter(client_request_id=name).update(created_at=at)
    dispatch.perform(owner, "Note", {"name": "new", "clientRequestId": "new"})
    assert set(ApiRequest.objects.values_list("client_request_id", flat=True)) == {"young", "new"}


def test_it_comes_at_the_first_call_and_then_seldom(ada: User) -> None:
    asked = []

    class Rows:
        model: Any = ApiNonce

        def values_list(self, *_: Any, **__: Any) -> list[int]:
            asked.append(1)
            return []

    sweep = Sweep(every=4, batch=10)
    for _ in range(9):
        sweep(Rows())  # type: ignore[arg-type]
    assert len(asked) == 3


def test_what_cannot_be_deleted_now_is_left(caplog: pytest.LogCaptureFixture) -> None:
    class Locked:
        model: Any = ApiNonce

        def values_list(self, *_: Any, **__: Any) -> list[int]:
            raise DatabaseError("deadlock detected")

    caplog.set_level("INFO", "runs.api")
    Sweep(every=1, batch=1)(Locked())  # type: ignore[arg-type]
    assert "deadlock detected" in caplog.text
