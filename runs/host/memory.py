"""A journal, effects and a clock in memory: the host runs on them in tests, benchmarks and dry replays."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from journal.entries import Entry
from runs.host.ports import Call, Completion, Head, Letter, NewChild, Round, Work


class MemoryJournal:
    """`entries` grows; `rounds` keeps each commit, so that a test can cut history at any of them."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self.entries = list(entries)
        self.rounds: list[Round] = []
        self.inbox: list[Letter] = []
        self.left_behind: list[Entry] = []

    def read(self) -> list[Entry]:
        return list(self.entries)

    def kept(self, call_seqs: Sequence[int]) -> list[Entry]:
        return [entry for entry in self.left_behind if entry.call_seq in call_seqs]

    def letters(self) -> list[Letter]:
        return list(self.inbox)

    def head(self) -> Head:
        size, cpu_ms = sum(len(entry.data) for entry in self.entries), sum(round.cpu_ms for round in self.rounds)
        return Head(len(self.entries), size, cpu_ms)

    def commit(self, round: Round) -> None:
        for entry in round.entries:
            assert entry.seq == len(self.entries) + 1, "seq must grow without a gap"
            self.entries.append(entry)
        self.inbox = [letter for letter in self.inbox if letter.id not in round.letters]
        self.rounds.append(round)

    def commit_around(self, round: Round, work: Work) -> None:
        self.commit(round)
        self.commit(Round(list(work(None)[1])))


class MemoryClock:
    """Stands still until somebody moves it. ms since the epoch."""

    def __init__(self, start: int = 1_700_000_000_000) -> None:
        self.time = start

    def now(self) -> int:
        return self.time


class MemoryEffects:
    """Executes calls with `tool(call) -> Completion` when the host waits, one at a time in an order drawn from `rng`.

    When nothing is out, waiting moves the clock on by as long as the host wanted to wait.
    """

    def __init__(
        self, tool: Callable[[Call], Completion], clock: MemoryClock, rng: random.Random | None = None
    ) -> None:
        self._tool, self._clock, self._rng = tool, clock, rng or random.Random(0)  # noqa: S311  # an order, not a secret
        self.out: list[Call] = []
        self.executed: list[tuple[int, str]] = []

    def transactional(self, tool: str) -> bool:
        return tool.startswith("tx.")

    def timeout_ms(self, tool: str) -> float | None:
        return None

    def start(self, call: Call) -> None:
        call.begun.set()
        self.out.append(call)

    def execute(self, call: Call) -> Completion:
        self.executed.append((call.call_seq, call.tool))
        return self._tool(call)

    def prepare_child(self, call_seq: int, spec: dict[str, Any]) -> tuple[NewChild | None, dict[str, Any] | None]:
        return NewChild(f"child-{call_seq}", call_seq, spec.get("input"), source=spec.get("script")), None

    def wait(self, seconds: float | None) -> list[Completion]:
        if not self.out:
            assert seconds is not None, "the host waits for nothing, for ever"
            self._clock.time += int(seconds * 1000)
            return []
        self._clock.time += self._rng.randrange(0, 5)
        return [self.execute(self.out.pop(self._rng.randrange(len(self.out))))]

    def poke(self) -> None:
        pass
