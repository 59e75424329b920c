"""A dry replay in words: the same in the terminal and on the pages."""

import json

from runs.activity import one_line
from runs.operations.report import CallFacts, DryReplay

TITLES = {
    "reused": "Reused, answered from the journal",
    "new": "Executed anew",
    "orphans": "Orphans, left behind in the journal",
}


def call_words(call: CallFacts) -> str:
    """ "tool invoice.send {"number": 7}", on one line."""
    given = "" if call.input is None else f" {one_line(json.dumps(call.input, ensure_ascii=False), 100)}"
    return f"{call.op} {one_line(call.what, 100)}{given}"


def fate(call: CallFacts, name: str, replay: DryReplay) -> str:
    """What else becomes of a call in that list; "" for most."""
    kept = name == "orphans" and call.call_seq in replay.kept
    return "its result is used if the script still comes to it" if kept else ""


def stands(replay: DryReplay) -> str:
    """Where the script stands once its journal has answered."""
    if replay.ending is None:
        opened = ", ".join(str(call.call_seq) for call in replay.open)
        return f"The script then waits for call {opened}." if opened else "The script then waits for nothing."
    return f"The script then ends: {type(replay.ending).__name__.lower()}."
