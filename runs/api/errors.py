"""What the API refuses: a stable code, a message that says what to do, and the HTTP status that goes with the code."""

from collections.abc import Mapping
from typing import Any

STATUS = {
    "bad-message": 400,  # not the shape of a message
    "not-canonical": 400,  # not canonical CBOR
    "stale": 400,  # the time of the message is too far from the server's
    "only-on-socket": 400,
    "bad-signature": 401,  # or the key is unknown, revoked or expired: nobody learns which
    "wrong-account": 401,
    "bad-token": 401,
    "forbidden": 403,  # the user may not do that
    "role": 403,  # the key or token may not, whatever its user may
    "unknown-action": 404,
    "unknown-run": 404,
    "unknown-call": 404,
    "unknown-script": 404,
    "method": 405,
    "not-possible": 409,  # in the state that the run is in
    "replayed": 409,  # the nonce was used before
    "request-id-reused": 409,
    "too-large": 413,
    "content-type": 415,
    "rate-limited": 429,
    "internal-error": 500,
    "database": 503,
}
INVALID = 422  # every other code is about a value: invalid-input, lint, source-too-large


class ApiError(Exception):
    """`status` is that of the code; `details` are JSON values; `headers` go with the answer."""

    def __init__(
        self, code: str, message: str, *, details: Any = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = STATUS.get(code, INVALID)
        self.details = details
        self.headers = dict(headers or {})

    def as_dict(self) -> dict[str, Any]:
        told = {"_": "Error", "code": self.code, "message": self.message}
        return told if self.details is None else told | {"details": self.details}
