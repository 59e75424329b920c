"""Which signal answers which wait: `{}` takes any signal, `{signal: 'approved'}` that one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class OpenWait:
    """A wait that nothing has answered yet. `timeout_at` in ms since the epoch."""

    call_seq: int
    wait_id: str
    match: dict[str, Any]
    key: str
    label: str | None = None
    timeout_at: int | None = None

    def takes(self, name: str, wait_id: str = "") -> bool:
        if wait_id:
            return self.wait_id == wait_id
        return bool(self.match.get("signal", name) == name)

    def as_part(self) -> dict[str, Any]:
        """As it stands in the column `wait` of a parked run."""
        return {
            "kind": "wait",
            "callSeq": self.call_seq,
            "waitId": self.wait_id,
            "match": self.match,
            "label": self.label,
            "wakeAt": self.timeout_at,
        }


def wait_id_of(call_seq: int) -> str:
    return f"w{call_seq}"


def first_taker(waits: Iterable[OpenWait], name: str, wait_id: str = "") -> OpenWait | None:
    """The oldest wait that the signal answers."""
    takers = (wait for wait in waits if wait.takes(name, wait_id))
    return min(takers, key=lambda wait: wait.call_seq, default=None)


def assign(waits: Sequence[OpenWait], signals: Iterable[tuple[str, str]]) -> list[OpenWait | None]:
    """For each signal (name, wait_id), in order of arrival, the wait that it will answer; None for one that is kept."""
    left = list(waits)
    taken: list[OpenWait | None] = []
    for name, wait_id in signals:
        wait = first_taker(left, name, wait_id)
        if wait is not None:
            left.remove(wait)
        taken.append(wait)
    return taken
