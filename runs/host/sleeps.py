"""The family of ctx.sleep: a timer is written when it is issued, `fired` when its time has come."""

from dataclasses import dataclass
from typing import Any

from journal import bodies
from runs.host.desk import Desk
from runs.realm.protocol import Sleep


@dataclass(frozen=True, slots=True)
class _Timer:
    wake_at: int
    key: str


class Sleeps:
    """The open timers of a run by callSeq."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._timers: dict[int, _Timer] = {}

    def issue(self, message: Sleep, new: list[bodies.Body]) -> None:
        if message.again:
            body = self._desk.folded.open[message.call_seq].body
        else:
            wake_at = self._desk.clock.now() + message.ms
            body = bodies.timer(message.call_seq, message.ms, wake_at, message.line)
            new.append(body)
        self._timers[message.call_seq] = _Timer(body["wakeAt"], body["key"])

    def rebuild(self) -> None:
        self._timers.clear()

    def due(self, now: int) -> bool:
        due = sorted((timer.wake_at, seq) for seq, timer in self._timers.items() if timer.wake_at <= now)
        for wake_at, seq in due:
            timer = self._timers.pop(seq)
            self._desk.draft.add(bodies.fired(seq, timer.key, now - wake_at))
            self._desk.deliver(seq, True, None)
        return bool(due)

    def busy(self) -> bool:
        return False

    def next_at(self) -> int | None:
        return min((timer.wake_at for timer in self._timers.values()), default=None)

    def waits(self) -> list[dict[str, Any]]:
        return [
            {"kind": "timer", "callSeq": seq, "wakeAt": timer.wake_at} for seq, timer in sorted(self._timers.items())
        ]

    def finish(self) -> None:
        self._timers.clear()
