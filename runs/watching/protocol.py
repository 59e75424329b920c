"""The frames of the sockets: JSON objects in text frames, `_` is the name of the frame, `at` is ms since the epoch.

A client sends
    {"_": "Subscribe", "key": "runs/<id of a root>", "afterSeq"?, "journals"?, "last"?}
        afterSeq: what it has of each journal, {run id: seq}; a number means the root's journal; absent: nothing
        journals: ids of the runs whose entries it wants (absent: all of the tree); changes come for all
        last: at first only the newest so many entries of each journal
    {"_": "Unsubscribe", "key"}
and is sent
    {"_": "subscribed", "key", "at", "runs"}             runs: how many the tree has now; of each comes a change
    {"_": "change", "key", "run"}                        one per run at first, then whenever its row has changed
    {"_": "append", "key", "runId", "entries"}           per run in order of seq, without a gap, nothing twice
    {"_": "appendPartial", "key", "runId", "progress"}   the progress of a run, where nothing else has changed
    {"_": "behind", "key"}                               it was too slow; what it has missed follows
    {"_": "deleted", "key", "runId"}                     the root and all runs of its tree; ends the subscription
    {"_": "unsubscribed", "key"}
    {"_": "error", "code", "message", "key"?, "details"?}
    {"_": "heartbeat", "at"}                             every 15 seconds

Codes of `error`: bad-frame, too-large, unknown-frame, unknown-run, not-a-root (details: {"root"}), not-in-tree,
(details: {"runs"}), ahead-of-journal (details: {"runId", "lastSeq"}), already-subscribed, not-subscribed,
permission-lost (which ends the subscription); database and internal-error: the tree cannot be read at present, and what
is missing follows when it can.

The socket is closed with a code of `Close`. A foreign origin is refused with HTTP 403 before there is a socket.

A page connects to `/ws/runs` with its session. A program connects to `/ws/api`, with the header `Authorization:
Bearer`, and all is as above; or without one, and then its Subscribe is a signed message of `POST /api/message` in a
binary frame, whose action has these fields. The first one has to come within ten seconds, all of one socket are of one
key (else another-key), and an Unsubscribe is JSON. Codes of `error` are then also those of the API; bad-token, database
and rate-limited (details: {"retryAfter"}, in seconds) close the socket.
"""

import json
import time
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

FRAME_MAX = 256 * 1024  # bytes of what a client sends
SUBSCRIPTIONS_MAX = 16  # of one socket
REFUSED_MAX = 20  # frames that a socket may send in vain
_PREFIX = "runs/"
_ID_MAX = 26
_SEQ_MAX = 2**31 - 1


class Close(IntEnum):
    """Why the server closes a socket."""

    RESTART = 1012  # the server stops or cannot go on: connect again, as after a connection that ends without a code
    BAD_PROTOCOL = 4400  # one frame after the other was refused
    NOT_SIGNED_IN = 4401  # no session, token or signed message, or what there was holds no longer
    FORBIDDEN = 4403  # none of the trees may be seen any more
    TOO_MANY = 4429  # subscriptions; or requests, and the client has to wait


class RefusedFrame(Exception):
    """What a client sent cannot be done; `code` is stable, the text says what to do. `close` ends the socket."""

    def __init__(
        self,
        code: str,
        message: str,
        key: str | None = None,
        details: dict[str, Any] | None = None,
        *,
        close: Close | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.key, self.details, self.close = code, key, details, close

    def frame(self) -> str:
        more = {"key": self.key, "details": self.details}
        present = {name: value for name, value in more.items() if value is not None}
        return frame("error", code=self.code, message=str(self), **present)


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`after`: seq by run id; a number that stood for the root is under the root's id."""

    root_id: str
    after: dict[str, int]
    journals: frozenset[str] | None
    last: int | None

    @property
    def key(self) -> str:
        return key_of(self.root_id)


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    key: str


def parse(text: str | None) -> Subscribe | Unsubscribe:
    """What a client asks for; raises `RefusedFrame`. None stands for a binary frame."""
    if text is None:
        raise RefusedFrame("bad-frame", "binary frames are not taken; send JSON as text")
    if len(text) > FRAME_MAX or len(text.encode("utf-8", "surrogatepass")) > FRAME_MAX:
        raise RefusedFrame("too-large", f"a frame has at most {FRAME_MAX} bytes")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedFrame("bad-frame", "the frame is not JSON") from None
    if not isinstance(given, dict):
        raise RefusedFrame("bad-frame", 'the frame is not an object; send {"_": "Subscribe", "key": "runs/<id>"}')
    match given.get("_"):
        case "Subscribe":
            return subscription(given)
        case "Unsubscribe":
            return Unsubscribe(_key(given))
    raise RefusedFrame("unknown-frame", "this socket takes Subscribe and Unsubscribe; what acts on a run goes by HTTP")


def subscription(given: dict[str, Any]) -> Subscribe:
    """What the fields of a Subscribe ask for; raises `RefusedFrame`."""
    key = _key(given)
    root_id = key.removeprefix(_PREFIX)
    after = given.get("afterSeq")
    seqs = {root_id: after} if _is_seq(after) else after or {}
    if not isinstance(seqs, dict) or not all(_is_id(run_id) and _is_seq(seq) for run_id, seq in seqs.items()):
        raise RefusedFrame("bad-frame", "afterSeq is a seq, or an object of seqs by run id", key)
    journals = given.get("journals")
    if journals is not None and not (isinstance(journals, list) and all(map(_is_id, journals))):
        raise RefusedFrame("bad-frame", "journals is a list of run ids", key)
    last = given.get("last")
    if last is not None and not _is_seq(last):
        raise RefusedFrame("bad-frame", "last is a number of entries, 0 or more", key)
    return Subscribe(root_id, seqs, None if journals is None else frozenset(journals), last)


def frame(name: str, **fields: Any) -> str:
    """The text of a frame."""
    return encoded({"_": name, **fields})


def append_frame(key: str, run_id: str, entries: list[str]) -> str:
    """An `append` of entries that are JSON texts already."""
    head = encoded({"_": "append", "key": key, "runId": run_id})
    return f'{head[:-1]},"entries":[{",".join(entries)}]}}'


def encoded(value: Any) -> str:
    """Compact JSON in ASCII, so that no lone surrogate can keep it from being sent."""
    return json.dumps(value, separators=(",", ":"))


def key_of(root_id: str) -> str:
    return _PREFIX + root_id


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def _key(given: dict[str, Any]) -> str:
    key = given.get("key")
    if not isinstance(key, str) or not key.startswith(_PREFIX) or not _is_id(key.removeprefix(_PREFIX)):
        raise RefusedFrame("bad-frame", "key is runs/ and the id of a root run")
    return key


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _ID_MAX and value.isascii() and value.isalnum()


def _is_seq(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _SEQ_MAX
