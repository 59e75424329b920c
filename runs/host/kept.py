"""Results that an operator's retry or rewind has left behind and that are still good: when the script comes to such a
call again, it is answered with them and not executed a second time."""

from collections import deque
from collections.abc import Iterable

from journal.bodies import Body
from journal.entries import Entry, Kind


class Kept:
    """Matched as replay matches: by content key, the oldest call first."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._results: dict[int, Body] = {}
        self._by_key: dict[str, deque[int]] = {}
        self._calls: dict[int, Body] = {}
        for entry in sorted(entries, key=lambda entry: (entry.call_seq, entry.seq)):
            if entry.kind == Kind.CALL:
                self._calls[entry.call_seq] = entry.body
            elif entry.kind in (Kind.RESULT, Kind.EVENT):
                if entry.call_seq not in self._results:
                    self._by_key.setdefault(entry.body["key"], deque()).append(entry.call_seq)
                self._results[entry.call_seq] = entry.body

    def take(self, key: str) -> int | None:
        """The callSeq of the next result for the key; None where there is none left."""
        calls = self._by_key.get(key)
        return calls.popleft() if calls else None

    def result(self, call_seq: int) -> Body:
        """The body of the `result` or `event`."""
        return self._results[call_seq]

    def child(self, call_seq: int) -> str | None:
        """The child that the call had made."""
        child: str | None = self._calls[call_seq]["childRunId"]
        return child
