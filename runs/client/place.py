"""How far the following of a run, or of its tree, has come."""

from collections.abc import Mapping
from typing import Any

from .items import ENDED, Change, Entry, Item

Facts = dict[str, Any]


class Place:
    """`run_id` is the run that is followed, `root_id` that of the tree that it is in, as far as is known; `seqs` are
    those of the newest entry that was given, by run id."""

    def __init__(self, run_id: str, after: Mapping[str, int], *, tree: bool, entries: bool) -> None:
        self.run_id = self.root_id = run_id
        self.tree, self.entries = tree, entries
        self.seqs = dict(after) if tree else {run_id: after.get(run_id, 0)}
        self.runs: dict[str, Facts] = {}  # as they were told last
        self._told: set[str] = set()
        self._count: int | None = None

    def subscription(self) -> dict[str, Any]:
        """The fields of a Subscribe from here on."""
        fields = {"key": f"runs/{self.root_id}", "afterSeq": {run_id: seq for run_id, seq in self.seqs.items() if seq}}
        if self.tree and self.entries:
            return fields
        return fields | {"journals": [self.run_id] if self.entries else []}

    def wants(self, run_id: str) -> bool:
        return self.tree or run_id == self.run_id

    def begin(self, count: int | None) -> None:
        """So many runs are about to be told of, each of them; None where that is not known yet."""
        self._told.clear()
        self._count = count

    def changed(self, run: Facts) -> list[Item]:
        """The change, where it is one and of a run that is wanted. `nextSeq` is the seq of the run's next entry."""
        run_id = run["id"]
        self._told.add(run_id)
        before, self.runs[run_id] = self.runs.get(run_id), run
        return [Change(run)] if self.wants(run_id) and run != before else []

    def appended(self, run_id: str, entries: list[Facts]) -> list[Item]:
        """The entries that have not been given before, in order; raises `ValueError` at a gap. An entry has `seq`, `at`
        and the fields of the specification."""
        items: list[Item] = []
        for entry in entries:
            seq, at = entry["seq"], entry["at"]
            expected = self.seqs.get(run_id, 0) + 1
            if seq > expected:
                raise ValueError(f"after entry {expected - 1} of run {run_id} came {seq}")
            if seq == expected:
                self.seqs[run_id] = seq
                fields = {name: value for name, value in entry.items() if name not in ("seq", "at")}
                items.append(Entry(run_id, seq, at, fields))
        return items

    @property
    def over(self) -> bool:
        """Whether all that is wanted has ended and was given. A run is told of before any entry that comes after its
        making, so once a whole tree has been told of, a run below that is not known has an entry above it that is
        missing."""
        if self._count is None or (self.tree and len(self._told) < self._count):
            return False
        wanted = list(self.runs.values()) if self.tree else [self.runs.get(self.run_id)]
        return all(run is not None and self._given(run) for run in wanted)

    def _given(self, run: Facts) -> bool:
        whole = not self.entries or self.seqs.get(run["id"], 0) >= run["nextSeq"] - 1
        return run["status"] in ENDED and whole
