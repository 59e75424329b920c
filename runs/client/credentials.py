"""Who asks: a token that travels with each request, or a private key that signs each."""

import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key

from . import wire

Fields = dict[str, Any]
_NONCE_BYTES = 24


@dataclass(frozen=True, slots=True)
class Request:
    """What is posted: `path` below the server's address."""

    path: str
    headers: dict[str, str] = field(repr=False)
    content: bytes = field(repr=False)


class Credentials(Protocol):
    def request(self, action: str, fields: Fields) -> Request:
        """Anew for each attempt: a signed message is good for one and for half a minute."""

    def socket_headers(self) -> dict[str, str]:
        """What a socket is opened with."""

    def frame(self, action: str, fields: Fields) -> str | bytes:
        """What is sent through a socket."""


class Token:
    """A token as the account page showed it once: `daybook_...`."""

    def __init__(self, text: str) -> None:
        self._header = {"Authorization": f"Bearer {text.strip()}"}

    def request(self, action: str, fields: Fields) -> Request:
        headers = self._header | {"Content-Type": wire.JSON}
        return Request(f"/api/{action}", headers, wire.as_json(fields).encode())

    def socket_headers(self) -> dict[str, str]:
        return self._header

    def frame(self, action: str, fields: Fields) -> str | bytes:
        return wire.as_json({"_": action, **fields})


class Key:
    """An Ed25519 private key, whose public key is registered for the user `account`: 32 bytes, or a key object."""

    def __init__(self, private_key: bytes | Ed25519PrivateKey, account: str) -> None:
        if isinstance(private_key, bytes):
            private_key = Ed25519PrivateKey.from_private_bytes(private_key)
        self._key = private_key
        self._signer = self._key.public_key().public_bytes_raw()
        self._account = account

    @classmethod
    def load(cls, path: str | Path, account: str, password: bytes | None = None) -> "Key":
        """Of a file as `ssh-keygen -t ed25519` or `openssl genpkey -algorithm ed25519` writes it; or `ValueError`."""
        data = Path(path).read_bytes()
        load = load_ssh_private_key if b"BEGIN OPENSSH" in data else load_pem_private_key
        key = load(data, password)
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError(f"{path} holds no Ed25519 key; make one with ssh-keygen -t ed25519")  # noqa: TRY004
        return cls(key, account)

    def request(self, action: str, fields: Fields) -> Request:
        return Request("/api/message", {"Content-Type": wire.CBOR}, self._signed(action, fields))

    def socket_headers(self) -> dict[str, str]:
        return {}

    def frame(self, action: str, fields: Fields) -> str | bytes:
        return self._signed(action, fields)

    def _signed(self, action: str, fields: Fields) -> bytes:
        now = {"_": action, "ts": time.time_ns() // 1_000_000, "nonce": secrets.token_bytes(_NONCE_BYTES)}
        envelope = {"type": "RunsAction", "signer": self._signer, "account": self._account, "action": fields | now}
        return wire.canonical(envelope | {"sig": self._key.sign(wire.canonical(envelope))})
