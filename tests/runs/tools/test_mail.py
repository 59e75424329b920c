import smtplib
from collections.abc import Callable
from typing import Any

import pytest
from django.core.mail import EmailMultiAlternatives

from runs.tools import ToolContext

Call = Callable[..., Any]
LETTER = {"to": "ana@example.com", "subject": "Hello", "body": "Text"}


def test_a_mail_is_sent_as_asked(gives: Call, mailoutbox: list[EmailMultiAlternatives]) -> None:
    given = {
        "to": ["ana@example.com", '"Lee, Bo" <bo@example.com>'],
        "subject": "Grüße",
        "body": "Text\nin two lines",
        "html": "<p>Text</p>",
        "from": "Shop <shop@example.com>",
        "cc": "cc@example.com",
        "bcc": ["bcc@example.com"],
        "reply_to": "answer@example.com",
    }
    result = gives("mail.send", given)
    [mail] = mailoutbox
    assert (mail.to, mail.cc, mail.bcc) == (given["to"], ["cc@example.com"], ["bcc@example.com"])
    assert (mail.subject, mail.body, mail.from_email) == ("Grüße", "Text\nin two lines", "Shop <shop@example.com>")
    assert mail.reply_to == ["answer@example.com"]
    assert [(part.content, part.mimetype) for part in mail.alternatives] == [("<p>Text</p>", "text/html")]
    assert result == {"message_id": mail.message()["Message-ID"], "recipients": 4}


def test_a_repeated_call_has_the_same_message_id_and_another_call_another(
    gives: Call, mailoutbox: list[EmailMultiAlternatives], settings: Any
) -> None:
    settings.DAYBOOK = {"base_url": "https://runs.example.com:8443/x"}
    calls = [ToolContext("r1", 3), ToolContext("r1", 3, attempt=2), ToolContext("r1", 4), ToolContext("r<\n>", 3)]
    ids = [gives("mail.send", LETTER, context=context)["message_id"] for context in calls]
    assert ids[0] == ids[1] == "<r1.3@runs.example.com>"
    assert len(set(ids)) == 3
    assert [mail.message()["Message-ID"] for mail in mailoutbox] == ids


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subject", "Hello\nBcc: all@example.com"),
        ("subject", "Hello\r"),
        ("to", "ana@example.com\nBcc: all@example.com"),
        ("cc", ["ok@example.com", "a@example.com\r\nX: y"]),
        ("from", "shop@example.com\nX: y"),
        ("reply_to", "a@example.com\nX: y"),
        ("to", "nobody"),
        ("to", ""),
        ("to", "a@example.com, b@example.com"),
        ("to", "a@example.com, b@example.com <x"),
        ("to", "Lee, Ana <ana@example.com>"),
        ("to", []),
        ("bcc", ["nobody"]),
        ("from", "nobody"),
        ("to", 5),
        ("body", None),
    ],
)
def test_a_field_that_would_break_the_mail_is_refused_by_name(
    fails: Call, mailoutbox: list[EmailMultiAlternatives], field: str, value: Any
) -> None:
    error = fails("mail.send", {**LETTER, field: value})
    assert error["code"] == "invalid-input"
    assert [entry["field"].partition("[")[0] for entry in error["detail"]] == [field]
    assert mailoutbox == []


def test_copies_alone_are_recipients_enough(gives: Call, mailoutbox: list[EmailMultiAlternatives]) -> None:
    assert gives("mail.send", {**LETTER, "to": [], "bcc": "b@example.com"})["recipients"] == 1
    assert len(mailoutbox) == 1


@pytest.mark.parametrize(
    ("problem", "retryable"),
    [
        (ConnectionRefusedError("no"), True),
        (smtplib.SMTPServerDisconnected("gone"), True),
        (smtplib.SMTPDataError(451, b"later"), True),
        (smtplib.SMTPDataError(554, b"spam"), False),
        (smtplib.SMTPAuthenticationError(535, b"who"), False),
        (smtplib.SMTPRecipientsRefused({"a": (450, b"later")}), True),
        (smtplib.SMTPRecipientsRefused({"a": (450, b"later"), "b": (550, b"no")}), False),
        (smtplib.SMTPNotSupportedError("no AUTH"), False),
    ],
)
def test_what_the_mail_server_says_decides_on_a_retry(
    fails: Call, monkeypatch: pytest.MonkeyPatch, problem: Exception, retryable: bool
) -> None:
    def send(self: EmailMultiAlternatives, fail_silently: bool = False) -> int:
        raise problem

    monkeypatch.setattr(EmailMultiAlternatives, "send", send)
    error = fails("mail.send", LETTER)
    assert (error["code"], error["retryable"]) == ("mail-failed", retryable)
