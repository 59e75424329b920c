"""What goes wrong when a server is asked."""

from typing import Any


class DaybookError(Exception):
    """`code` is stable: the server's own, or of this client:

    unreachable        no connection, or none that lasts; status None
    not-daybook        the answer is none of Daybook's: is the address right, is there a proxy that answers instead?
    signed-out         the socket was closed because the key or token is revoked or expired, or its user may not sign in
    permission-lost    the socket was closed because the run may not be seen any more
    deleted            the run was deleted while it was followed; who asks for it later is told `unknown-run`
    bad-protocol       the socket was closed because it does not take what this client sends: are the versions alike?

    `status` is that of HTTP, or the code that a socket was closed with; None where there is neither. `details` are
    JSON values, None where there are none. The text says what to do.
    """

    def __init__(self, code: str, message: str, *, details: Any = None, status: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.details, self.status = code, message, details, status

    @classmethod
    def of(cls, answer: dict[str, Any], status: int | None = None) -> "DaybookError":
        """Of an answer or a frame that tells of an error."""
        code, message = str(answer.get("code", "error")), str(answer.get("message", ""))
        return cls(code, message, details=answer.get("details"), status=status)
