"""The family of ctx.waitForEvent: a wait is written when it is issued, `event` when a signal or its timeout ends it."""

from collections.abc import Callable
from typing import Any

from journal import bodies
from runs.host.desk import Desk
from runs.host.matching import OpenWait, assign, wait_id_of
from runs.host.ports import Letter
from runs.realm.protocol import Wait


class Waits:
    """The open waits of a run by callSeq. `live` tells which of some callSeqs somebody still awaits: a wait that has
    lost a race and that nobody will look at again must not swallow a signal."""

    def __init__(self, desk: Desk, live: Callable[[], set[int]]) -> None:
        self._desk = desk
        self._live = live
        self._waits: dict[int, OpenWait] = {}
        self._known: dict[int, int] = {}  # callSeq -> the wait left behind whose answer it gets

    def issue(self, message: Wait, new: list[bodies.Body]) -> None:
        seq = message.call_seq
        if message.again:
            body = self._desk.folded.open[seq].body
        else:
            timeout_at = None if message.timeout is None else self._desk.clock.now() + message.timeout
            body = bodies.wait(
                seq, wait_id_of(seq), message.match, message.timeout, timeout_at, message.label, message.line
            )
            kept = self._desk.kept.take(body["key"])
            if kept is not None:
                body |= {"keptFrom": kept}
            new.append(body)
        if "keptFrom" in body:
            self._known[seq] = body["keptFrom"]
        self._waits[seq] = OpenWait(
            seq, body["waitId"], body["match"], body["key"], body.get("label"), body.get("timeoutAt")
        )

    def rebuild(self) -> None:
        self._waits.clear()
        self._known.clear()

    def any_open(self) -> bool:
        return bool(self._waits)

    def open(self) -> list[OpenWait]:
        """Those that a signal may answer."""
        if not self._waits:
            return []
        live = self._live()
        return [wait for seq, wait in sorted(self._waits.items()) if seq in live and seq not in self._known]

    def answer(self, letters: list[Letter]) -> Letter | None:
        """Write and deliver the first signal, in order of arrival, that an open wait takes; returns it, or None."""
        signals = [letter for letter in letters if letter.kind == "signal"]
        if not signals or not (waits := self.open()):
            return None
        takers = assign(waits, [(letter.name, letter.wait_id) for letter in signals])
        for letter, taker in zip(signals, takers, strict=True):
            if taker is not None:
                delivery = {"signal": letter.name, "payload": letter.payload}
                self._end(taker, delivery, letter)
                return letter
        return None

    def _end(self, wait: OpenWait, delivery: Any, letter: Letter | None) -> None:
        self._waits.pop(wait.call_seq)
        entry = self._desk.draft.add(bodies.event(wait.call_seq, wait.key, wait.wait_id, delivery))
        if letter is not None:
            self._desk.draft.take_letter(letter.id, entry.seq)
        self._desk.deliver(wait.call_seq, True, delivery)

    def overdue(self, now: int) -> bool:
        """Whether a timeout has come that nobody has told the script of."""
        return any(wait.timeout_at is not None and wait.timeout_at <= now for wait in self._waits.values())

    def _answer_known(self) -> None:
        seq = min(self._known)
        kept = self._known.pop(seq)
        answer = self._desk.kept.result(kept)
        delivery = None if "timedOut" in answer else {"signal": answer["signal"], "payload": answer["payload"]}
        self._end(self._waits[seq], delivery, None)

    def due(self, now: int) -> bool:
        if self._known:
            self._answer_known()
            return True
        over = sorted(
            (w.timeout_at, seq) for seq, w in self._waits.items() if w.timeout_at is not None and w.timeout_at <= now
        )
        for _, seq in over:
            self._end(self._waits[seq], None, None)
        return bool(over)

    def busy(self) -> bool:
        return False

    def next_at(self) -> int | None:
        """The timeout of a wait that nobody awaits any more is no reason to wake."""
        return min((wait.timeout_at for wait in self.open() if wait.timeout_at is not None), default=None)

    def waits(self) -> list[dict[str, Any]]:
        return [wait.as_part() for wait in self.open()]

    def finish(self) -> None:
        self._waits.clear()
        self._known.clear()
