"""A client of the signed form, written from `runs/api/README.md` and sharing nothing with the code of the server."""

import hashlib
import itertools
import time
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.test import Client

_counter = itertools.count(1)


def head(major: int, value: int) -> bytes:
    """The shortest head of RFC 8949."""
    if value < 24:
        return bytes([major << 5 | value])
    for more, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if value < 256**size:
            return bytes([major << 5 | more]) + value.to_bytes(size, "big")
    raise ValueError(value)


def cbor(value: Any) -> bytes:
    """Canonical, of what messages of the tests hold (no floats)."""
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    pairs = sorted((cbor(key), cbor(item)) for key, item in value.items())
    return head(5, len(pairs)) + b"".join(key + item for key, item in pairs)


def private_key(seed: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def fresh_nonce() -> bytes:
    return next(_counter).to_bytes(16, "big")


def envelope(key: Ed25519PrivateKey, account: str, action: dict[str, Any]) -> dict[str, Any]:
    """Without `sig`; time and nonce are added where the action has none."""
    told = {"ts": now_ms(), "nonce": fresh_nonce(), **action}
    return {"type": "RunsAction", "signer": public_bytes(key), "account": account, "action": told}


def signed(key: Ed25519PrivateKey, account: str, action: dict[str, Any], **other: Any) -> bytes:
    """The bytes to post; `other` replaces what is in the envelope before it is signed."""
    unsigned = envelope(key, account, action) | other
    return cbor({**unsigned, "sig": key.sign(cbor(unsigned))})


@cache
def client() -> Client:
    """One for all: each loads the middleware anew."""
    return Client(raise_request_exception=False)


def post(data: bytes, **extra: Any) -> Any:
    """The response of the view, without a network."""
    return client().generic("POST", "/api/message", data, content_type="application/cbor", **extra)
