"""A file as what it says: its runs, one at a time, each looked at before it is handed on.

The rules that hold for a whole file (every run is of its tree, no run twice, each script used) are kept here too, so
that whoever reads to the end without a complaint has a file that could have been exported.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, cast

from journal.entries import Entry, content_key
from journal.replay import fold
from runs.activity import line
from runs.conf import conf
from runs.copies import replays_as
from runs.ids import is_id
from runs.lifecycle import Status, waits_on
from runs.models import Message
from runs.portable import shapes
from runs.portable.facts import FACTS, VALUES
from runs.portable.format import CAPS_OVER, DEEDS_MAX, MESSAGES_MAX, NAME, RUNS_MAX, SHA_BYTES, VERSION, BadFile, bad
from runs.portable.scanning import Elements, json_value
from runs.portable.shapes import Shape, optional
from runs.realm import REALM_VERSION

_MESSAGE = {
    "kind": shapes.one_of(*Message.Kind.values),
    "name": shapes.text(200),
    "payload": shapes.ANY,
    "callSeq": optional(shapes.SEQ),
    "waitId": shapes.text(40),
    "dedupId": optional(shapes.text(255)),
    "sender": optional(shapes.text(254)),
    "at": shapes.MICROS,
    "takenSeq": optional(shapes.SEQ),
}
_DEED = (shapes.MICROS, shapes.text(254), shapes.text(2_000), shapes.text(2_000), shapes.ANY)


@dataclass(frozen=True, slots=True)
class Head:
    """Of a file. `root` is its first run."""

    root: str
    tree: bool


@dataclass(slots=True)
class Told:
    """One run of a file. `facts` as in facts.py, their values as values; `sources` are the scripts that are new with
    it; `entries`: (entry, superseded by)."""

    facts: dict[str, Any]
    sources: list[str]
    entries: list[tuple[Entry, int | None]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    deeds: list[list[Any]] = field(default_factory=list)


class File:
    """`head` when it is opened, then `runs` to the end, then `sha256` (hex). Each raises `BadFile`."""

    def __init__(self, file: BinaryIO) -> None:
        self._elements = Elements(file)
        self.head = _head(self._next())
        self.sha256 = ""
        self.entries = 0
        self._places: dict[str, tuple[str | None, int, str, str | None, str]] = {}
        self._known: set[str] = set()

    def runs(self) -> Iterator[Told]:
        """The last rules are those of the end: nothing is to be believed before this is through."""
        element = self._next()
        while element[0] != "end":
            told, element = self._run(element)
            self._placed(told.facts)
            yield told
        counts = {"runs": len(self._places), "entries": self.entries}
        if element != ["end", counts]:
            bad("the file does not hold as many runs and entries as it says at its end")
        digest = self._elements.next()
        if not isinstance(digest, bytes) or len(digest) != SHA_BYTES or digest != self._elements.digest():
            bad("the SHA-256 at its end is not that of what is before it: the file is damaged")
        self._elements.end()
        self._check_tree()
        self.sha256 = digest.hex()

    def _next(self) -> list[Any]:
        element = self._elements.next()
        if not isinstance(element, list) or not element or not isinstance(element[0], str):
            bad("an element does not say what it is: the file is damaged, or not ours")
        return element

    def _run(self, element: list[Any]) -> tuple[Told, list[Any]]:
        """The run that begins with that element, and the first element behind it."""
        texts: list[str] = []
        while element[0] == "source":
            texts.append(_source(element))
            element = self._next()
        told = Told(_run_facts(element), texts)
        element = self._next()
        while element[0] == "entry":
            told.entries.append(_entry(element, told.facts, len(told.entries) + 1))
            element = self._next()
        while element[0] == "message":
            told.messages.append(_message(element, told.facts, len(told.messages)))
            element = self._next()
        while element[0] == "deed":
            told.deeds.append(_deed(element, len(told.deeds)))
            element = self._next()
        if element[0] not in ("source", "run", "end"):
            bad(f"an element is called {element[0]!r:.40}, which stands for nothing here")
        self.entries += len(told.entries)
        self._check_run(told)
        return told, element

    def _check_run(self, told: Told) -> None:
        facts = told.facts
        named = f"run {facts['id']}"
        if len(told.entries) != facts["entries"]:
            bad(f"{named} has {len(told.entries)} entries in the file and should have {facts['entries']}")
        if sum(len(entry.data) for entry, _ in told.entries) != facts["journalBytes"]:
            bad(f"the journal of {named} is not as large as the file says")
        if max((entry.call_seq for entry, _ in told.entries), default=0) > facts["lastCallSeq"]:
            bad(f"{named} has a call beyond the last one that it says it has made")
        keys = {content_key(text) for text in told.sources}
        needed = {key for entry, _ in told.entries if (key := entry.script_key)} | {facts["source"]} - {None}
        if len(keys) < len(told.sources) or not keys <= needed or keys & self._known:
            bad(f"there are scripts in the file that {named} does not have, or that stand in it twice")
        self._known |= keys
        if missing := needed - self._known:
            bad(f"the script {min(missing)} of {named} is not in the file")
        if replays_as(facts["redacted"]):
            _check_replay(told)

    def _placed(self, facts: dict[str, Any]) -> None:
        run_id, head = facts["id"], self.head
        if run_id in self._places:
            bad(f"run {run_id} is in the file twice")
        if len(self._places) >= RUNS_MAX:
            bad(f"the file has more than {RUNS_MAX:,} runs")
        if not self._places and run_id != head.root:
            bad(f"the file begins with run {run_id}, and says that it begins with {head.root}")
        if (self._places or head.tree) and (not head.tree or facts["root"] != head.root):
            bad(f"run {run_id} is not of the tree that the file is of")
        self._places[run_id] = (
            facts["parent"],
            facts["depth"],
            facts["chain"],
            facts["continuedFrom"],
            facts["successor"],
        )

    def _check_tree(self) -> None:
        """Parents, and the runs that were continued, are in the file; nothing goes in circles."""
        if not self.head.tree:
            return
        for run_id, (parent, depth, chain, before, after) in self._places.items():
            of_root = parent is None and depth == 0
            if not of_root and (parent not in self._places or self._places[parent][1] != depth - 1):
                bad(f"the parent of run {run_id} is not in the file, or not above it")
            if before is not None and self._places.get(before, ("", 0, "", "", ""))[4] != run_id:
                bad(f"run {run_id} goes on from run {before}, which does not say so")
            if after and self._places.get(after, ("", 0, "", "", ""))[3] != run_id:
                bad(f"run {run_id} was continued as {after}, which does not say so")
            if (before is None) != (chain in ("", run_id)):
                bad(f"run {run_id} is in a chain that it is not of")
            if before is not None and self._places[before][2] != chain:
                bad(f"run {run_id} is in another chain than the run that it goes on from")
        self._check_chains()

    def _check_chains(self) -> None:
        """From the first run of each chain all of it is met: one that goes in a circle has no first."""
        met = 0
        for run_id, (_, _, _, before, _) in self._places.items():
            at = run_id if before is None else ""
            while at:
                met += 1
                at = self._places[at][4]
        if met != len(self._places):
            bad("a chain of successors goes in a circle")


def _head(element: list[Any]) -> Head:
    if element[0] != NAME or len(element) != 3 or not isinstance(element[1], int):
        bad("this is no export of a run: it does not begin as one; manage.py exportrun makes them")
    if element[1] != VERSION:
        bad(
            f"the file is of version {element[1]} of the format, and this installation reads {VERSION}: update it first"
        )
    told = element[2]
    if not isinstance(told, dict) or told.keys() != {"realm", "root", "tree"}:
        bad("the head of the file is not as we write it")
    _check_realm(told["realm"])
    if not isinstance(told["root"], str) or not is_id(told["root"]) or not isinstance(told["tree"], bool):
        bad("the head of the file is not as we write it")
    return Head(told["root"], told["tree"])


def _check_realm(version: Any) -> None:
    if not shapes.is_number(version, 2**15, 1):
        bad("the file does not say under which version of the realm it was written")
    if version > REALM_VERSION:
        bad(
            f"the file was written under version {version} of the realm, and this installation knows those up to"
            f" {REALM_VERSION}: update it first"
        )


def _source(element: list[Any]) -> str:
    if len(element) != 2 or not shapes.text(conf().source_max_bytes * CAPS_OVER).fits(element[1]):
        bad("a script in the file is no text, or far beyond DAYBOOK_SOURCE_MAX_BYTES")
    return cast("str", element[1])


def _run_facts(element: list[Any]) -> dict[str, Any]:
    if element[0] != "run" or len(element) != 2 or not isinstance(element[1], dict):
        bad(f"where a run should begin there is {element[0]!r:.40}")
    told = element[1]
    if told.keys() != FACTS.keys():
        odd = sorted(map(str, told.keys() ^ FACTS.keys()))
        bad(f"a run does not have the facts that it should: {', '.join(odd)[:200]}")
    facts = told | {name: _value(told[name], name) for name in VALUES}
    for name, fact in FACTS.items():
        if not fact.shape.fits(facts[name]):
            bad(f"{name} of a run is not {fact.shape.what}")
    _check_realm(facts["realmVersion"])
    limits = conf()
    for what, name, most in (
        ("entries", "entries", limits.journal_max_entries),
        ("bytes", "journalBytes", limits.journal_max_bytes),
    ):
        if facts[name] > most * CAPS_OVER:
            bad(
                f"the journal of run {facts['id']} has {facts[name]} {what}, and a journal here may have {most}: raise"
                " DAYBOOK_JOURNAL_MAX_ENTRIES and DAYBOOK_JOURNAL_MAX_BYTES for the import"
            )
    _check_standing(facts)
    return facts


def _check_standing(facts: dict[str, Any]) -> None:
    """What the database itself demands of a run."""
    named, status = f"run {facts['id']}", facts["status"]
    ended = status in (Status.SUCCEEDED, Status.FAILED, Status.CANCELED)
    if (facts["finishedAt"] is not None) != ended:
        bad(f"{named} is {status}, and does not say rightly when it ended")
    if facts["waitsOn"] != (waits_on(facts["wait"]) if facts["wait"] else ""):
        bad(f"{named} does not say rightly what it waits on")
    if (facts["kind"] == "agent") != (facts["source"] is None):
        bad(f"{named} is of an agent and a script at once, or of neither")
    if facts["error"] is None and facts["errorCode"]:
        bad(f"{named} has the code of an error that it does not have")


def _value(data: Any, name: str) -> Any:
    if data is None:
        return None
    if not isinstance(data, bytes):
        bad(f"{name} of a run is not the CBOR of a value")
    return json_value(data, f"{name} of a run")


def _entry(element: list[Any], facts: dict[str, Any], expected: int) -> tuple[Entry, int | None]:
    named = f"entry {expected} of run {facts['id']}"
    if expected > facts["entries"]:
        bad(f"run {facts['id']} has more entries in the file than it should, {facts['entries']}")
    if len(element) != 5 or element[1] != expected or isinstance(element[1], bool):
        bad(f"{named} is not where it should be: the entries of a run count from 1 without a gap")
    _, seq, at, superseded_by, data = element
    if not shapes.MS.fits(at) or not (superseded_by is None or shapes.is_number(superseded_by, 2**15 - 1)):
        bad(f"{named} is not as we write it")
    if not isinstance(data, bytes):
        bad(f"{named} is not the CBOR of a value")
    body = json_value(data, named)
    shape: Shape | None = None
    if isinstance(body, dict) and shapes.SEQ.fits(body.get("callSeq")) and isinstance(body.get("kind"), str):
        shape = shapes.BODIES.get(body["kind"])
    if shape is None:
        bad(f"{named} is of no kind that a journal has")
    if not shape.fits(body):
        bad(f"{named} is not {shape.what} as a journal has it")
    return Entry(seq, at, body, data), superseded_by


def _message(element: list[Any], facts: dict[str, Any], before: int) -> dict[str, Any]:
    named = f"message {before + 1} of run {facts['id']}"
    if before >= MESSAGES_MAX:
        bad(f"run {facts['id']} has more than {MESSAGES_MAX:,} messages")
    if len(element) != 2 or not isinstance(element[1], dict) or element[1].keys() != _MESSAGE.keys():
        bad(f"{named} is not as we write it")
    message = element[1] | {"payload": _value(element[1]["payload"], named)}
    for name, shape in _MESSAGE.items():
        if not shape.fits(message[name]):
            bad(f"{name} of {named} is not {shape.what}")
    return cast("dict[str, Any]", message)


def _deed(element: list[Any], before: int) -> list[Any]:
    if before >= DEEDS_MAX:
        bad(f"a run has more than {DEEDS_MAX:,} deeds in its log")
    if len(element) != 6 or not isinstance(element[5], bytes):
        bad("the log of a run is not as we write it")
    deed = [*element[1:5], json_value(element[5], "a deed")]
    for shape, value in zip(_DEED, deed, strict=True):
        if not shape.fits(value):
            bad(f"in the log of a run something is not {shape.what}")
    return deed


def _check_replay(told: Told) -> None:
    """A journal that cannot even be put in order, as one with the result of a call that was never made."""
    try:
        fold(entry for entry, superseded_by in told.entries if superseded_by is None)
        for entry, _ in told.entries:
            line(entry)
    except BadFile:
        raise
    except Exception as error:  # noqa: BLE001  (whatever it is, it would happen to who looks at the run)
        bad(f"the journal of run {told.facts['id']} does not hold together: {type(error).__name__} {error}")
