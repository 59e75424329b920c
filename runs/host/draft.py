"""The round being written: gives out seq, keeps the caps of the journal and the 80 % warning."""

from collections.abc import Callable
from dataclasses import replace

from journal import bodies
from journal.bodies import Body
from journal.entries import Entry
from runs.host.outcome import Ending, Parked
from runs.host.ports import Head, NewChild, Round

_WARN_AT = 0.8


class JournalFull(Exception):
    """The next effect would not fit; nothing of its round was kept."""


class Draft:
    """Collects entries until `take`. Results of what runs already are always let in: what ran is recorded."""

    def __init__(self, head: Head, now: Callable[[], int], max_entries: int, max_bytes: int) -> None:
        self.head = head
        self._now = now
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._entries: list[Entry] = []
        self._bytes = 0
        self._children: list[NewChild] = []
        self._letters: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, body: Body) -> Entry:
        seq = self.head.entries + len(self._entries) + 1
        entry = Entry.of(seq, self._now(), body)
        self._entries.append(entry)
        self._bytes += len(entry.data)
        return entry

    def full(self) -> bool:
        """Whether results alone have filled the journal: then nothing more is started that would add to it."""
        entries, size = self.head.entries + len(self._entries), self.head.bytes + self._bytes
        return entries > self._max_entries or size > self._max_bytes

    def add_child(self, child: NewChild) -> None:
        self._children.append(child)

    def take_letter(self, id: int, seq: int) -> None:
        self._letters[id] = seq

    def add_all_or_none(self, new: list[Body]) -> None:
        """The effects issued in one slice; raises `JournalFull` and keeps none of them when they do not fit."""
        before, size = len(self._entries), self._bytes
        for body in new:
            self.add(body)
        if self.full():
            dropped = {entry.call_seq for entry in self._entries[before:]}
            self._children = [child for child in self._children if child.call_seq not in dropped]
            del self._entries[before:]
            self._bytes = size
            raise JournalFull

    def take(self, cpu_ms: float, ending: Ending | Parked | None) -> Round:
        """The round, to be committed now; the draft starts the next one behind it."""
        self._warn()
        round = Round(self._entries, cpu_ms, ending=ending, children=self._children, letters=self._letters)
        self.advance(len(self._entries), self._bytes, cpu_ms)
        self._entries, self._bytes = [], 0
        self._children, self._letters = [], {}
        return round

    def advance(self, entries: int, size: int, cpu_ms: float = 0) -> None:
        """Entries that were written past the draft."""
        head = self.head
        self.head = replace(head, entries=head.entries + entries, bytes=head.bytes + size, cpu_ms=head.cpu_ms + cpu_ms)

    def _warn(self) -> None:
        used_before = max(self.head.entries / self._max_entries, self.head.bytes / self._max_bytes)
        entries, size = self.head.entries + len(self._entries), self.head.bytes + self._bytes
        used = max(entries / self._max_entries, size / self._max_bytes)
        if used_before < _WARN_AT <= used:
            self.add(
                bodies.notice(
                    "warn",
                    f"the journal is {used:.0%} full ({entries} of {self._max_entries} entries,"
                    f" {size} of {self._max_bytes} bytes); when it is full the run fails with journal-cap:"
                    " finish into a successor with ctx.continueAsNew",
                )
                | {"nearCap": True}
            )
