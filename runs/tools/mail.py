"""The tool `mail.send`: one message through Django's mail backend, recognisable when it is sent twice."""

import hashlib
import re
import smtplib
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives
from django.core.validators import validate_email
from pydantic import Field

from runs.conf import conf
from runs.tools.complaints import invalid_input
from runs.tools.context import ToolContext
from runs.tools.errors import ToolError
from runs.tools.registry import tool

# One address, with or without a name before it; a name with a comma is quoted, else it would be two addresses.
# Texts beyond the length are refused before it looks: its alternatives overlap, and a long one would take minutes.
_ADDRESS_MAX = 400
_ADDRESS = re.compile(r"""(?:"[^"]*"|[^",;:<>@]*)\s*<([^<>\s]+)>|([^<>,;\s]+)""")

Addresses = str | Annotated[list[str], Field(max_length=500)]


@tool("mail.send")
def send(
    context: ToolContext,
    to: Addresses,
    subject: str,
    body: str,
    html: str | None = None,
    from_: str | None = None,
    cc: Addresses = (),  # type: ignore[assignment]
    bcc: Addresses = (),  # type: ignore[assignment]
    reply_to: Addresses = (),  # type: ignore[assignment]
) -> dict[str, str | int]:
    """Sends a mail of plain text, and `html` beside it where given; returns `{message_id, recipients}`.

    An address is `ana@example.com` or `Ana <ana@example.com>`; several are an array. `from` is by default the setting
    DEFAULT_FROM_EMAIL. A call that is executed again after a crash sends again, with the same Message-ID. A mail server
    that is away or says "later" (4xx) is retryable: `mail-failed`.
    """
    people: dict[str, list[str]] = {
        "to": _several(to),
        "cc": _several(cc),
        "bcc": _several(bcc),
        "reply_to": _several(reply_to),
    }
    problems = {field: problem for field, found in people.items() if (problem := _bad_addresses(found))}
    if from_ is not None and (problem := _bad_addresses([from_])):
        problems["from"] = problem
    if _breaks_line(subject):
        problems["subject"] = "must be one line"
    if not (people["to"] or people["cc"] or people["bcc"]):
        problems["to"] = "should name at least one recipient, here or in cc or bcc"
    if problems:
        raise invalid_input("mail.send", problems)
    message_id = _message_id(context.token)
    message = EmailMultiAlternatives(
        subject,
        body,
        from_,
        people["to"],
        bcc=people["bcc"],
        cc=people["cc"],
        reply_to=people["reply_to"],
        headers={"Message-ID": message_id},
    )
    if html is not None:
        message.attach_alternative(html, "text/html")
    context.raise_if_cancelled()
    _deliver(message)
    return {"message_id": message_id, "recipients": len(message.recipients())}


def _deliver(message: EmailMultiAlternatives) -> None:
    try:
        message.send()
    except smtplib.SMTPRecipientsRefused as error:
        later = all(400 <= code < 500 for code, _ in error.recipients.values())
        raise ToolError("mail-failed", f"every recipient was refused: {error}", retryable=later) from error
    except smtplib.SMTPResponseException as error:
        later = 400 <= error.smtp_code < 500 or isinstance(error, smtplib.SMTPConnectError)
        raise ToolError(
            "mail-failed", f"the mail server answered {error.smtp_code}: {error}", retryable=later
        ) from error
    except OSError as error:  # every other exception of smtplib is one too
        later = not isinstance(error, smtplib.SMTPException) or isinstance(error, smtplib.SMTPServerDisconnected)
        raise ToolError("mail-failed", f"the mail could not be handed over: {error}", retryable=later) from error


def _several(addresses: str | Sequence[str]) -> list[str]:
    return [addresses] if isinstance(addresses, str) else list(addresses)


def _bad_addresses(addresses: Sequence[str]) -> str | None:
    for address in addresses:
        if _breaks_line(address):
            return "must not contain a line break"
        try:
            found = _ADDRESS.fullmatch(address.strip()) if len(address) <= _ADDRESS_MAX else None
            validate_email(found and (found[1] or found[2]))
        except ValidationError:
            return f'should hold mail addresses, and "{address:.80}" is not one (several are an array)'
    return None


def _breaks_line(text: str) -> bool:
    return len(text.splitlines()) > 1 or text.endswith(("\n", "\r"))


def _message_id(token: str) -> str:
    """The same for each execution of the call, on whichever host."""
    local = token.replace(":", ".")
    if not re.fullmatch(r"[A-Za-z0-9.-]{1,100}", local):
        local = hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
    host = urlsplit(conf().base_url).hostname or ""
    return f"<{local}@{host if re.fullmatch(r'[a-z0-9.-]*[a-z][a-z0-9.-]*', host) else 'daybook.localhost'}>"
