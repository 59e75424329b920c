"""One element of a file as what it says: each is looked at by itself, and refused where it is not as we write it.
The functions raise `BadFile`."""

from dataclasses import dataclass, field
from typing import Any, cast

from journal.entries import Entry
from journal.replay import fold
from runs.activity import line
from runs.conf import conf
from runs.ids import is_id
from runs.lifecycle import TERMINAL, waits_on
from runs.models import Message
from runs.portable import shapes
from runs.portable.facts import FACTS, VALUES
from runs.portable.format import CAPS_OVER, DEEDS_MAX, MESSAGES_MAX, NAME, VERSION, BadFile, bad
from runs.portable.scanning import json_value
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


def head(element: list[Any]) -> Head:
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


def source(element: list[Any]) -> str:
    if len(element) != 2 or not shapes.text(conf().source_max_bytes * CAPS_OVER).fits(element[1]):
        bad("a script in the file is no text, or far beyond DAYBOOK_SOURCE_MAX_BYTES")
    return cast("str", element[1])


def run_facts(element: list[Any]) -> dict[str, Any]:
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
    if (facts["finishedAt"] is not None) != (status in TERMINAL):
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


def entry(element: list[Any], facts: dict[str, Any], expected: int) -> tuple[Entry, int | None]:
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


def message(element: list[Any], facts: dict[str, Any], before: int) -> dict[str, Any]:
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


def deed(element: list[Any], before: int) -> list[Any]:
    if before >= DEEDS_MAX:
        bad(f"a run has more than {DEEDS_MAX:,} deeds in its log")
    if len(element) != 6 or not isinstance(element[5], bytes):
        bad("the log of a run is not as we write it")
    deed = [*element[1:5], json_value(element[5], "a deed")]
    for shape, value in zip(_DEED, deed, strict=True):
        if not shape.fits(value):
            bad(f"in the log of a run something is not {shape.what}")
    return deed


def check_replay(told: Told) -> None:
    """A journal that cannot even be put in order, as one with the result of a call that was never made."""
    try:
        fold(entry for entry, superseded_by in told.entries if superseded_by is None)
        for entry, _ in told.entries:
            line(entry)
    except BadFile:
        raise
    except Exception as error:  # noqa: BLE001  (whatever it is, it would happen to who looks at the run)
        bad(f"the journal of run {told.facts['id']} does not hold together: {type(error).__name__} {error}")
