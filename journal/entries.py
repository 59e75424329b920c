"""One row of a journal as a value: the kinds of entry, and the content key that replay matches on."""

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from django.db import models

from journal import codec

SCRIPT_KEY = "scriptSha256"


class Kind(models.TextChoices):
    """The kinds of entry. Names and fields are those of the specification; a field may be added, none renamed."""

    CALL = "call", "the script called a tool or a child"
    RESULT = "result", "that call finished"
    TIMER = "timer", "the script sleeps until wakeAt"
    FIRED = "fired", "the timer elapsed"
    WAIT = "wait", "the script waits for a signal"
    EVENT = "event", "the wait resolved"
    NOW = "now", "the script read the clock"
    LOG = "log", "the script, or the host in its name, wrote a line"
    STEP = "step", "a step started or ended"
    PLAN = "plan", "the script edited its checklist"


@dataclass(frozen=True, slots=True)
class Entry:
    """`body` is one JSON value with `kind`, `callSeq` and what the kind carries; `at` is in ms since the epoch; `data`
    is the CBOR of the body as it is stored: the script of a child that was made by its content key."""

    seq: int
    at: int
    body: dict[str, Any]
    data: bytes

    @classmethod
    def of(cls, seq: int, at: int, body: dict[str, Any]) -> "Entry":
        """A new entry, encoded."""
        return cls(seq, at, body, codec.encode(_stored(body)))

    def with_script(self, text: str) -> "Entry":
        """As it was when it was written, where `script_key` names that text."""
        fields = {name: value for name, value in self.body.items() if name != SCRIPT_KEY}
        return replace(self, body=fields | {"script": text})

    @property
    def kind(self) -> str:
        return str(self.body["kind"])

    @property
    def call_seq(self) -> int:
        """0 for an entry that the host wrote and no ctx call asked for."""
        return int(self.body["callSeq"])

    @property
    def script_key(self) -> str | None:
        """The content key of the script that is not in the body; None where there is none, or it is."""
        key: str | None = self.body.get(SCRIPT_KEY)
        return key

    @property
    def named_script(self) -> str | None:
        """The content key of the script that its row names and does not hold, whether or not it is in the body."""
        return content_key(self.body["script"]) if _names_script(self.body) else self.script_key

    def as_dict(self) -> dict[str, Any]:
        """The readable form: the body with `seq` and `at` (ms) added."""
        return {"seq": self.seq, "at": self.at, **self.body}


def effect_key(op: str, *parts: str | int) -> str:
    """The content key of an effect: its op and its arguments, `tool|echo|<digest>`, `sleep|5000`.

    Names and numbers stand as they are, a long name as its digest. A JSON value is stored once, in its own field, and
    stands in the key as its `digest`.
    """
    return "|".join([op, *(digest(part) if isinstance(part, str) and len(part) > 80 else str(part) for part in parts)])


def content_key(text: str) -> str:
    """Of a script: the SHA-256 of its UTF-8, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _stored(body: dict[str, Any]) -> dict[str, Any]:
    """Its row keeps the script of a child; five hundred copies of it would fill the journal. A child that was not made
    has no row."""
    if not _names_script(body):
        return body
    return {SCRIPT_KEY if name == "script" else name: value for name, value in body.items()} | {
        SCRIPT_KEY: content_key(body["script"])
    }


def _names_script(body: dict[str, Any]) -> bool:
    return body.get("childRunId") is not None and "script" in body


def digest(value: Any) -> str:
    """The first 32 hex digits of the SHA-256 of a JSON value's CBOR."""
    return hashlib.sha256(codec.encode(value)).hexdigest()[:32]
