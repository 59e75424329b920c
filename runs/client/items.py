"""What following a run gives."""

from dataclasses import dataclass
from typing import Any

# A copy of `runs.lifecycle.TERMINAL`, which needs Django; a test compares them.
ENDED = frozenset({"succeeded", "failed", "canceled", "imported"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a journal. `fields` are those of the specification (`kind`, `callSeq`, and what the kind has),
    whole; `at` is ms since the epoch."""

    run_id: str
    seq: int
    at: int
    fields: dict[str, Any]

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    @property
    def call_seq(self) -> int:
        return int(self.fields["callSeq"])


@dataclass(frozen=True, slots=True)
class Change:
    """A run as it stands now: `run` has at least `id`, `title`, `status`, `words`, `attempt` and `progress`."""

    run: dict[str, Any]

    @property
    def ended(self) -> bool:
        return self.run["status"] in ENDED


Item = Entry | Change
