"""One entry of a journal as the row that a person reads: what the socket sends, and what the page shows first."""

from typing import Any

from journal import codec
from journal.entries import Kind
from journal.models import RunJournal
from runs.activity import story
from runs.reading.cutting import cut_fields

# What a person may want to see alone, and the kinds of entry that each shows.
FILTERS = {
    "calls": ("Calls", (Kind.CALL, Kind.RESULT)),
    "waits": ("Waits and sleeps", (Kind.TIMER, Kind.FIRED, Kind.WAIT, Kind.EVENT)),
    "steps": ("Steps and plan", (Kind.STEP, Kind.PLAN)),
    "logs": ("Logs", (Kind.LOG, Kind.NOW)),
}
_GROUPS = {kind.value: name for name, (_, kinds) in FILTERS.items() for kind in kinds}


def entry_row(entry: RunJournal) -> dict[str, Any]:
    """JSON: seq, at (ms since the epoch), callSeq, kind, group (the filter that shows it), tone (of what happened: "",
    "good", "bad" or "warn"), line (words), superseded (the attempt that left it behind, or None), body (the fields
    of the specification; a long value is the beginning of its text) and cut (field -> bytes of the whole value).
    Of an entry that is damaged the row says so: one must not keep people from the others."""
    try:
        told = _told(codec.decode(entry.entry))
    except Exception as error:  # noqa: BLE001  (damaged bytes may fail anywhere)
        line = f"this entry cannot be read ({type(error).__name__}); restore it from a backup"
        told = {"tone": "bad", "line": line, "body": {}, "cut": {}}
    return {
        "seq": entry.seq,
        "at": entry.at,
        "callSeq": entry.call_seq,
        "kind": entry.kind,
        "group": _GROUPS.get(entry.kind, "logs"),
        "superseded": entry.superseded_by,
        **told,
    }


def _told(body: dict[str, Any]) -> dict[str, Any]:
    fields, sizes = cut_fields(body)
    return {"tone": _tone(body), "line": story(body), "body": fields, "cut": sizes}


def _tone(body: dict[str, Any]) -> str:
    match body["kind"]:
        case Kind.RESULT:
            return "good" if body["status"] == "succeeded" else "bad"
        case Kind.TIMER if "retry" in body:
            return "warn"
        case Kind.STEP if body["phase"] == "end":
            return "good" if body["succeeded"] else "bad"
        case Kind.LOG:
            return {"error": "bad", "warn": "warn"}.get(body["level"], "")
        case Kind.EVENT if body.get("timedOut"):
            return "warn"
    return ""
