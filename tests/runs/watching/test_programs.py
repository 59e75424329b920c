"""The socket for programs: whose token or signature is taken, what each may see, and how it ends."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import Permission, User
from django.utils import timezone
from trees import append, root
from web import Socket, Web

from runs.api import keys, tokens
from runs.api.revoking import revoke
from runs.api.roles import Role
from runs.models import ApiKey, ApiNonce, ApiToken
from runs.watching import consumer, protocol, signed
from runs.watching.protocol import now_ms


class Signer:
    """A private key of a user, whose public one is registered."""

    def __init__(self, user: User) -> None:
        self.account = user.get_username()
        self.private = Ed25519PrivateKey.generate()
        self.public = self.private.public_key().public_bytes_raw()
        self.row = keys.register(user, self.public.hex(), "tests", Role.READER, None, None)

    def message(self, run_id: str, *, name: str = "Subscribe", account: str = "", **action: Any) -> bytes:
        told = {"_": name, "ts": now_ms(), "nonce": secrets.token_bytes(16), "key": f"runs/{run_id}", **action}
        unsigned = {"type": "RunsAction", "signer": self.public, "account": account or self.account, "action": told}
        return _canonical({**unsigned, "sig": self.private.sign(_canonical(unsigned))})


@pytest.fixture
def ana(transactional_db: None) -> User:
    return User.objects.create_user("ana")


@pytest.fixture
def ben(transactional_db: None) -> User:
    return User.objects.create_user("ben")


@pytest.fixture
def signer(ana: User) -> Signer:
    return Signer(ana)


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(consumer, "GUARD_SECONDS", 0.05)


def token_of(user: User) -> tuple[ApiToken, str]:
    return tokens.make(user, "tests", Role.READER, None, None)


def by_token(web: Web, text: str, **more: Any) -> Socket:
    return web.open(path="/ws/api", origin=None, authorization=f"Bearer {text}", **more)


def unknown(web: Web, **more: Any) -> Socket:
    return web.open(path="/ws/api", **({"origin": None} | more))


def closed(socket: Socket) -> Any:
    return socket.until(lambda frame: "close" in frame)["close"]


def test_a_token_opens_it_and_frames_are_as_those_of_a_page(web: Web, ana: User) -> None:
    run = root(ana)
    row, text = token_of(ana)
    socket = by_token(web, text)
    socket.subscribe(run.pk)
    assert socket.until("subscribed")["runs"] == 1
    append(run, 2)
    socket.until_seq(run.pk, 2)
    row.refresh_from_db()
    assert row.last_used_at is not None


@pytest.mark.parametrize("text", ["", "x", "daybook_0123456789abcdef_" + "A" * 43])
def test_another_token_is_told_by_the_close_code(web: Web, ana: User, text: str) -> None:
    token_of(ana)
    socket = by_token(web, text)
    assert socket.read()["code"] == "bad-token"
    assert socket.read() == {"close": 4401}


@pytest.mark.parametrize("past", ["revoked", "expired", "inactive"])
def test_a_token_that_holds_no_more_opens_nothing(web: Web, ana: User, past: str) -> None:
    row, text = token_of(ana)
    _end(row, past)
    assert closed(by_token(web, text)) == 4401


def test_a_signed_subscribe_is_taken(web: Web, ana: User, signer: Signer) -> None:
    run = root(ana)
    append(run, 3)
    socket = unknown(web)
    socket.send_bytes(signer.message(run.pk, afterSeq={run.pk: 1}))
    socket.until_seq(run.pk, 3)
    assert socket.seqs(run.pk) == [2, 3]
    other = root(ana)
    socket.send_bytes(signer.message(other.pk, journals=[]))
    assert socket.until("change")["run"]["id"] == other.pk
    socket.send({"_": "Unsubscribe", "key": f"runs/{other.pk}"})
    assert socket.until("unsubscribed")["key"] == f"runs/{other.pk}"
    signer.row.refresh_from_db()
    assert signer.row.last_used_at is not None


def _flipped(data: bytes, part: bytes) -> bytes:
    place = data.index(part) + len(part) - 1
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


FORGERIES: dict[str, tuple[Callable[[Signer, str, User], bytes], str]] = {
    "another run": (lambda signer, run, _: _flipped(signer.message(run), run.encode()), "bad-signature"),
    "another time": (lambda signer, run, _: _flipped(signer.message(run), b"bts\x1b" + bytes(2)), "bad-signature"),
    "a minute ago": (lambda signer, run, _: signer.message(run, ts=now_ms() - 60_000), "stale"),
    "a minute ahead": (lambda signer, run, _: signer.message(run, ts=now_ms() + 60_000), "stale"),
    "another account": (lambda signer, run, ben: signer.message(run, account=ben.username), "wrong-account"),
    "a short nonce": (lambda signer, run, _: signer.message(run, nonce=bytes(15)), "bad-message"),
    "a byte more": (lambda signer, run, _: signer.message(run) + b"\0", "not-canonical"),
    "another action": (lambda signer, run, _: signer.message(run, name="CancelRun"), "unknown-frame"),
    "no root": (lambda signer, run, _: signer.message("../x"), "bad-frame"),
    "too large": (lambda signer, run, _: signer.message(run, more="x" * protocol.FRAME_MAX), "too-large"),
    "no CBOR": (lambda signer, run, _: b"\xff", "not-canonical"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_is_not_signed_so_is_refused(web: Web, ana: User, ben: User, signer: Signer, forgery: str) -> None:
    run = root(ana)
    append(run, 1)
    forge, code = FORGERIES[forgery]
    socket = unknown(web)
    socket.send_bytes(forge(signer, run.pk, ben))
    assert socket.read()["code"] == code
    if code not in ("unknown-frame", "bad-frame"):
        assert not ApiNonce.objects.exists()
    socket.send_bytes(signer.message(run.pk))
    socket.until_seq(run.pk, 1)


def test_a_message_is_taken_once(web: Web, ana: User, signer: Signer) -> None:
    run = root(ana)
    message = signer.message(run.pk)
    first, second = unknown(web), unknown(web)
    first.send_bytes(message)
    first.until("change")
    second.send_bytes(message)
    assert second.read()["code"] == "replayed"


@pytest.mark.parametrize("past", ["revoked", "expired", "inactive"])
def test_a_key_that_holds_no_more_is_told_what_an_unknown_one_is_told(
    web: Web, ana: User, signer: Signer, past: str
) -> None:
    run = root(ana)
    _end(signer.row, past)
    socket = unknown(web)
    socket.send_bytes(signer.message(run.pk))
    first = socket.read()
    stranger = Signer(ana)
    stranger.row.delete()
    socket.send_bytes(stranger.message(run.pk))
    assert (first["code"], socket.read()) == ("bad-signature", first)


def test_a_subscribe_that_is_not_signed_is_refused(web: Web, ana: User, signer: Signer) -> None:
    run = root(ana)
    socket = unknown(web)
    socket.subscribe(run.pk)
    assert socket.read()["code"] == "bad-signature"
    socket.send_bytes(signer.message(run.pk))
    socket.until("change")
    socket.subscribe(root(ana).pk)
    assert socket.until("error")["code"] == "bad-signature"


def test_a_socket_is_that_of_one_key(web: Web, ana: User, ben: User, signer: Signer) -> None:
    run = root(ben)
    socket = unknown(web)
    socket.send_bytes(signer.message(root(ana).pk))
    socket.until("change")
    socket.send_bytes(Signer(ben).message(run.pk))
    assert socket.until("error")["code"] == "another-key"
    append(run)
    assert socket.seqs(run.pk) == []


def test_frames_in_vain_end_it_at_last(web: Web, signer: Signer) -> None:
    socket = unknown(web)
    for _ in range(protocol.REFUSED_MAX):
        socket.send_bytes(_flipped(signer.message("x"), b"RunsAction"))
    assert closed(socket) == 4400


def test_too_many_requests_end_it(web: Web, ana: User, signer: Signer, settings: Any) -> None:
    settings.DAYBOOK = {**settings.DAYBOOK, "api_rate": 2}
    run = root(ana)
    socket = unknown(web)
    for _ in range(3):
        socket.send_bytes(signer.message(run.pk))
    error = socket.until(lambda frame: frame.get("code") == "rate-limited")
    assert 0 < error["details"]["retryAfter"] <= 60
    assert closed(socket) == 4429


def test_who_says_nothing_is_sent_away(web: Web, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed, "GRACE_SECONDS", 0.05)
    socket = unknown(web)
    assert socket.accepted
    assert socket.read() == {"close": 4401}


def test_who_has_signed_in_time_stays(web: Web, ana: User, signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signed, "GRACE_SECONDS", 1.0)
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 1.1)
    socket = unknown(web)
    socket.send_bytes(signer.message(root(ana).pk))
    assert socket.until("heartbeat")


def test_a_foreign_page_opens_none_and_a_cookie_does_not_count(web: Web, ana: User, signer: Signer) -> None:
    run = root(ana)
    assert not unknown(web, origin="http://evil.example").accepted
    assert not unknown(web, origin="").accepted
    socket = unknown(web, user=ana, origin="http://testserver")
    socket.subscribe(run.pk)
    assert socket.read()["code"] == "bad-signature"


def test_a_host_that_is_not_ours_gets_none(web: Web, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["daybook.example.com"]
    assert not unknown(web).accepted


def test_the_run_of_another_is_unknown_to_a_program_too(web: Web, ana: User, ben: User, signer: Signer) -> None:
    run = root(ben)
    socket = unknown(web)
    socket.send_bytes(signer.message(run.pk))
    assert socket.read()["code"] == "unknown-run"


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("past", ["revoked", "expired", "inactive"])
@pytest.mark.parametrize("way", ["token", "key"])
def test_what_holds_no_more_ends_the_socket(web: Web, ana: User, signer: Signer, way: str, past: str) -> None:
    run = root(ana)
    row: ApiKey | ApiToken
    if way == "key":
        row, socket = signer.row, unknown(web)
        socket.send_bytes(signer.message(run.pk))
    else:
        row, text = token_of(ana)
        socket = by_token(web, text)
        socket.subscribe(run.pk)
    socket.until("change")
    socket.until("heartbeat")
    _end(row, past)
    assert closed(socket) == 4401


@pytest.mark.usefixtures("_quick")
def test_a_permission_that_is_taken_away_ends_what_it_gave(web: Web, ana: User, ben: User, signer: Signer) -> None:
    ana.user_permissions.add(Permission.objects.get(codename="view_run"))
    run = root(ben)
    socket = unknown(web)
    socket.send_bytes(signer.message(run.pk))
    socket.until("change")
    ana.user_permissions.clear()
    assert closed(socket) == 4403
    append(run)
    assert socket.seqs(run.pk) == []


@pytest.mark.usefixtures("_quick")
def test_who_has_not_signed_yet_is_not_looked_up(web: Web, ana: User) -> None:
    socket = unknown(web)
    for _ in range(3):
        assert socket.read()["_"] == "heartbeat"


def _end(row: ApiKey | ApiToken, past: str) -> None:
    match past:
        case "revoked":
            revoke(row, None)
        case "expired":
            type(row).objects.filter(pk=row.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
        case "inactive":
            User.objects.filter(pk=row.user_id).update(is_active=False)


def _canonical(value: Any) -> bytes:
    return cbor2.dumps(value, canonical=True)
