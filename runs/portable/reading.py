"""A file as what it says: its runs, one at a time, each looked at before it is handed on.

The rules that hold for a whole file (every run is of its tree, no run twice, each script used) are kept here too, so
that whoever reads to the end without a complaint has a file that could have been exported.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from journal.entries import content_key
from runs.copies import replays_as
from runs.portable import parts
from runs.portable.format import RUNS_MAX, SHA_BYTES, bad
from runs.portable.parts import Told
from runs.portable.scanning import Elements


class File:
    """`head` when it is opened, then `runs` to the end, then `sha256` (hex). Each raises `BadFile`."""

    def __init__(self, file: BinaryIO) -> None:
        self._elements = Elements(file)
        self.head = parts.head(self._next())
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
            texts.append(parts.source(element))
            element = self._next()
        told = Told(parts.run_facts(element), texts)
        element = self._next()
        while element[0] == "entry":
            told.entries.append(parts.entry(element, told.facts, len(told.entries) + 1))
            element = self._next()
        while element[0] == "message":
            told.messages.append(parts.message(element, told.facts, len(told.messages)))
            element = self._next()
        while element[0] == "deed":
            told.deeds.append(parts.deed(element, len(told.deeds)))
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
            parts.check_replay(told)

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
