"""Taking values out of what is exported: paths that people give, and the mark that stands where a value was."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from journal import codec
from runs.errors import BadInput
from runs.portable.snapshot import Kept, Snapshot

MARK = "[redacted]"
HELP = (
    "replace what is at PATH by a mark, in this run and with --tree in all: input.customer.email, output, "
    "error.message, error.detail, plan.title, progress.label, title, owner, key, cancelReason, "
    "calls.*.input.password, calls.7.output, calls.*.payload (of what answered a wait), calls.*.data and "
    "calls.*.message (of ctx.log), inbox.*.payload. * is any name or number; a dot within a name is written \\. "
    "Only what stands there is replaced, not the same value elsewhere. The keys of the calls that it touches go too, "
    "as a key tells of its input; so such a file says that it is redacted, and does not replay. May be given again"
)
_FREE = ("input", "output")  # JSON of any form
_TEXTS = ("error", "plan", "progress", "wait")  # of a form that others rely on: texts within them alone
_PLAIN = ("title", "owner", "key", "cancelReason")
_CALLS, _INBOX = "calls", "inbox"
_FREE_IN_ENTRY = ("input", "output", "payload", "data")
_FREE_IN_MESSAGE = ("payload",)
# What an entry and a message are told apart and put together by.
_FIXED = {"kind", "callSeq", "key", "op", "status", "phase", "level", "origin", "waitId", "childRunId", "scriptSha256"}
_FIXED |= {"takenSeq", "dedupId", "at"}
_FIXED_IN_ERROR = {"code", "tool", "childRunId"}
_NAMES = (*_FREE, *_TEXTS, *_PLAIN, _CALLS, _INBOX)
_DOT = re.compile(r"(?<!\\)\.")


@dataclass(frozen=True, slots=True)
class _Path:
    text: str
    first: str
    rest: tuple[str, ...]


@dataclass(slots=True)
class Redaction:
    """Of one export. `hit` collects the paths that something was found at."""

    paths: Sequence[_Path]
    hit: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, paths: Sequence[str]) -> "Redaction":
        """Raises `BadInput` for one that names nothing of a run."""
        return cls([_parsed(path) for path in dict.fromkeys(paths)])

    def missed(self) -> list[str]:
        """Those that nothing was found at."""
        return [path.text for path in self.paths if path.text not in self.hit]

    def of_run(self, snapshot: Snapshot) -> None:
        """Take it out of the run; its facts then name the paths that were found in it."""
        found: set[str] = set()
        facts = snapshot.facts
        for path in self.paths:
            if path.first in _PLAIN and not path.rest and facts[path.first]:
                facts[path.first] = MARK
                found.add(path.text)
            elif path.first in (*_FREE, *_TEXTS):
                facts[path.first] = self._within(facts[path.first], path, found, free=path.first in _FREE)
        self._entries(snapshot, found)
        snapshot.messages = [self._message(at, message, found) for at, message in enumerate(snapshot.messages)]
        facts["redacted"] = sorted({*facts["redacted"], *found})
        self.hit |= found

    def _within(self, value: Any, path: _Path, found: set[str], *, free: bool) -> Any:
        if not free and path.first == "error" and path.rest[:1] == ("detail",):
            free = True
        if not free and path.first == "error" and path.rest[:1] and path.rest[0] in _FIXED_IN_ERROR:
            return value
        made, hit = _replaced(value, path.rest, free=free)
        found |= {path.text} if hit else set()
        return made

    def _entries(self, snapshot: Snapshot, found: set[str]) -> None:
        touched: set[int] = set()
        paths = [path for path in self.paths if path.first == _CALLS]
        if not paths:
            return
        bodies = [self._body(entry, paths, found) for entry in snapshot.entries]
        touched = {entry.call_seq for entry, body in zip(snapshot.entries, bodies, strict=True) if body != entry.body}
        made = [_entry(entry, body, touched) for entry, body in zip(snapshot.entries, bodies, strict=True)]
        snapshot.facts["journalBytes"] += sum(len(e.data) for e in made) - sum(len(e.data) for e in snapshot.entries)
        snapshot.entries = made

    def _body(self, entry: Kept, paths: Sequence[_Path], found: set[str]) -> dict[str, Any]:
        body = entry.body
        for path in paths:
            number, name, *rest = path.rest
            if number in ("*", str(entry.call_seq)):
                body = _in_fields(body, name, rest, _FREE_IN_ENTRY, path, found)
        return body

    def _message(self, at: int, message: dict[str, Any], found: set[str]) -> dict[str, Any]:
        for path in self.paths:
            if path.first == _INBOX and path.rest[0] in ("*", str(at)):
                _, name, *rest = path.rest
                message = _in_fields(message, name, rest, _FREE_IN_MESSAGE, path, found)
        return message


def _entry(entry: Kept, body: dict[str, Any], touched: set[int]) -> Kept:
    """A key holds the digest of the input, or the text itself, so it goes with them."""
    if entry.call_seq in touched and "key" in body:
        body = body | {"key": MARK}
    return entry if body == entry.body else replace(entry, body=body, data=codec.encode(body))


def _in_fields(
    record: dict[str, Any], name: str, rest: Sequence[str], free: Sequence[str], path: _Path, found: set[str]
) -> dict[str, Any]:
    """Of a record whose fields are of a known form."""
    for field_name in record if name == "*" else [name] if name in record else []:
        if field_name in _FIXED or (field_name == "error" and rest and rest[0] in _FIXED_IN_ERROR):
            continue
        is_free = field_name in free or (field_name == "error" and rest[:1] == ["detail"])
        value, hit = _replaced(record[field_name], tuple(rest), free=is_free)
        if hit:
            record = record | {field_name: value}
            found.add(path.text)
    return record


def _replaced(value: Any, rest: tuple[str, ...], *, free: bool) -> tuple[Any, bool]:
    """The value with marks at the path, and whether there was anything. Where it is not `free`, only a text is."""
    if not rest:
        there = value is not None if free else isinstance(value, str)
        return (MARK, True) if there else (value, False)
    first, *others = rest
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value) if first == "*" else [first] if first in value else []
    elif isinstance(value, list):
        keys = [at for at in range(len(value)) if first in ("*", str(at))]
    made = dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
    hit = False
    for key in keys:
        made[key], inside = _replaced(value[key], tuple(others), free=free)
        hit |= inside
    return (made, True) if hit else (value, False)


def _parsed(text: str) -> _Path:
    first, *rest = (part.replace("\\.", ".") for part in _DOT.split(text))
    if first not in _NAMES or not all([first, *rest]):
        raise BadInput(f"--redact {text}: a path begins with one of {', '.join(_NAMES)}, as in calls.*.input.password")
    if first in (_CALLS, _INBOX) and len(rest) < 2:
        raise BadInput(f"--redact {text}: name a call or * and a field too, as in {first}.*.payload")
    if first in _TEXTS and not rest:
        raise BadInput(f"--redact {text}: name a text within it, as in error.message or plan.steps.*.label")
    return _Path(text, first, tuple(rest))
