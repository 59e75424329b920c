"""The signed message: `{type: "RunsAction", signer, sig, account, action}` in canonical CBOR.

`sig` is Ed25519, by the private key of `signer`, over the canonical CBOR of the message without `sig`. Knows no Django
and no database: a message whose signature is wrong costs no more than the arithmetic.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from runs.api import wire
from runs.api.errors import ApiError

TYPE = "RunsAction"
NAMES = {"type", "signer", "sig", "account", "action"}
KEY_BYTES, SIGNATURE_BYTES = 32, 64
NONCE_BYTES = range(16, 33)
NAME_MAX, ACCOUNT_MAX = 40, 150  # characters
TS_MAX = 2**53
WINDOW_MS = 30_000


@dataclass(frozen=True, slots=True)
class Envelope:
    """One whose signature is that of `signer`; whose key that is, is for others to say. `fields` are JSON values."""

    signer: bytes
    account: str
    name: str
    ts: int  # ms since the epoch
    nonce: bytes
    fields: dict[str, Any]


def opened(data: bytes) -> Envelope:
    """The message in the bytes; raises `ApiError`: not-canonical, bad-message or bad-signature."""
    message = wire.read_cbor(data)
    if not isinstance(message, dict) or message.keys() != NAMES or message["type"] != TYPE:
        _bad(f'a message is a map of type, signer, sig, account and action, with the type "{TYPE}"')
    signer, signature, account = message["signer"], message.pop("sig"), message["account"]
    if not _is_bytes(signer, KEY_BYTES) or not _is_bytes(signature, SIGNATURE_BYTES):
        _bad(f"signer is a byte string of {KEY_BYTES} bytes, sig one of {SIGNATURE_BYTES}")
    if not isinstance(account, str) or not 1 <= len(account) <= ACCOUNT_MAX:
        _bad("account is the name of the user whose key it is")
    envelope = _envelope(signer, account, message["action"])
    try:
        Ed25519PublicKey.from_public_bytes(signer).verify(signature, wire.canonical(message))
    except InvalidSignature:
        raise bad_signature() from None
    return envelope


def check_time(envelope: Envelope, now_ms: int) -> None:
    """Raises `ApiError` for a message from too far in the past or in the future."""
    if abs(now_ms - envelope.ts) > WINDOW_MS:
        told = f"ts is {envelope.ts} and the server's clock {now_ms}, in ms since the epoch: they may be 30 s apart"
        raise ApiError("stale", f"{told}. Set the clock, and sign the message anew", details={"now": now_ms})


def bad_signature() -> ApiError:
    """The same for every reason, so that nobody learns which keys exist."""
    return ApiError(
        "bad-signature",
        "the signature is not that of a registered key: it is over other bytes, or the key is unknown, revoked or"
        " expired, or its user may not sign in",
    )


def _envelope(signer: bytes, account: str, action: Any) -> Envelope:
    if not isinstance(action, dict):
        _bad("action is a map")
    fields = dict(action)
    name, ts, nonce = fields.pop("_", None), fields.pop("ts", None), fields.pop("nonce", None)
    if not isinstance(name, str) or not 1 <= len(name) <= NAME_MAX:
        _bad("action._ is the name of the action")
    if type(ts) is not int or not 0 <= ts < TS_MAX:
        _bad("action.ts is the time in ms since the epoch, an integer")
    if not isinstance(nonce, bytes) or len(nonce) not in NONCE_BYTES:
        _bad("action.nonce is a byte string of 16 to 32 random bytes")
    wire.check(fields)
    return Envelope(signer, account, name, ts, nonce, fields)


def _is_bytes(value: Any, length: int) -> bool:
    return isinstance(value, bytes) and len(value) == length


def _bad(message: str) -> NoReturn:
    raise ApiError("bad-message", message)
