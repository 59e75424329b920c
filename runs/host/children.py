"""The family of ctx.delegate: the child's row commits with the `call`, its end arrives as a letter, the `result`."""

from dataclasses import replace
from typing import Any

from journal import bodies
from runs.codes import Code
from runs.host.desk import Desk
from runs.host.failure import failure
from runs.host.limits import HostLimits
from runs.host.ports import Letter
from runs.realm.protocol import Delegate


class Children:
    """The children that a run waits for, by callSeq."""

    def __init__(self, desk: Desk, limits: HostLimits) -> None:
        self._desk = desk
        self._limits = limits
        self._open: dict[int, Delegate] = {}
        self._refused: list[tuple[Delegate, dict[str, Any]]] = []
        self._known: dict[int, int] = {}  # callSeq -> the call left behind whose child has its answer
        self._made = 0

    def issue(self, message: Delegate, new: list[bodies.Body]) -> None:
        seq = message.call_seq
        if message.again:
            self._open[seq] = message
            body = self._desk.folded.open[seq].body
            if "keptFrom" in body:
                self._known[seq] = body["keptFrom"]
            elif body["childRunId"] is None:
                self._refused.append((message, self._why(message)))
            return
        kept = self._desk.kept.take(bodies.delegate_key(message.spec))
        if kept is not None:
            self._open[seq], self._known[seq] = message, kept
            child = self._desk.kept.child(kept)
            new.append(self._body(message, child) | {"keptFrom": kept})
            return
        self._make(message, new)

    def _make(self, message: Delegate, new: list[bodies.Body]) -> None:
        seq = message.call_seq
        child_id: str | None = None
        error = self._limit()
        if error is None:
            child, error = self._desk.effects.prepare_child(seq, message.spec)
            if child is not None:
                child_id = child.run_id
                self._desk.draft.add_child(replace(child, step=message.step))
                self._made += 1
        new.append(self._body(message, child_id))
        self._open[seq] = message
        if error is not None:
            self._refused.append((message, error))

    def _body(self, message: Delegate, child_id: str | None) -> bodies.Body:
        return bodies.delegate(
            message.call_seq, message.spec, child_id, message.line, message.description, message.step
        )

    def _limit(self) -> dict[str, Any] | None:
        depth, deepest, most = self._limits.depth, self._limits.depth_limit, self._limits.fanout_limit
        if depth >= deepest:
            told = f"children may be {deepest} levels deep, and this run is at level {depth}"
            return failure(Code.DEPTH_LIMIT, f"{told}. {Code.DEPTH_LIMIT.help}")
        if self._made >= most:
            told = f"a run may have {most} children, and this one has made as many"
            return failure(Code.FANOUT_LIMIT, f"{told}. {Code.FANOUT_LIMIT.help}")
        return None

    def _why(self, message: Delegate) -> dict[str, Any]:
        """Why a child was not made, asked again after a crash between its call and its result."""
        _, error = self._desk.effects.prepare_child(message.call_seq, message.spec)
        return self._limit() or error or failure(Code.INTERRUPTED, "the child was not made; delegate it again")

    def rebuild(self) -> None:
        self._made = self._desk.folded.children
        self._open.clear()
        self._refused.clear()
        self._known.clear()

    def _answer_known(self) -> None:
        seq = min(self._known)
        kept = self._known.pop(seq)
        result = self._desk.kept.result(kept)
        ok = result["status"] == "succeeded"
        self._end(self._open[seq], ok, result["output"] if ok else result["error"], None)

    def answer(self, letters: list[Letter]) -> Letter | None:
        """Write and deliver the first letter of a child that is waited for; returns it, or None."""
        for letter in letters:
            if letter.kind == "child" and letter.call_seq in self._open and letter.call_seq not in self._known:
                told = letter.payload
                value = told["value"]
                if not told["ok"]:
                    value = {name: value[name] for name in ("code", "message", "retryable", "detail")}
                    value["childRunId"] = told["childRunId"]
                self._end(self._open[letter.call_seq], told["ok"], value, letter)
                return letter
        return None

    def _end(self, message: Delegate, ok: bool, value: Any, letter: Letter | None) -> None:
        seq = message.call_seq
        child_run_id = letter.payload["childRunId"] if letter is not None else None
        if ok and (problem := _misfit(value, message.spec.get("output"))):
            told = f"the child's output does not fit its schema: {problem}. {Code.OUTPUT_SCHEMA.help}"
            ok, value = False, failure(Code.OUTPUT_SCHEMA, told) | {"childRunId": child_run_id}
        del self._open[seq]
        entry = self._desk.draft.add(bodies.result(seq, bodies.delegate_key(message.spec), ok, value))
        if letter is not None:
            self._desk.draft.take_letter(letter.id, entry.seq)
        self._desk.deliver(seq, ok, value)

    def due(self, now: int) -> bool:
        if self._known:
            self._answer_known()
            return True
        refused, self._refused = self._refused, []
        for message, error in refused:
            self._end(message, False, error, None)
        return bool(refused)

    def busy(self) -> bool:
        return False

    def next_at(self) -> int | None:
        return None

    def waits(self) -> list[dict[str, Any]]:
        return [{"kind": "child", "callSeq": seq} for seq in sorted(self._open)]

    def any_open(self) -> bool:
        return bool(self._open)

    def finish(self) -> None:
        self._open.clear()
        self._known.clear()


def _misfit(value: Any, schema: Any) -> str | None:
    """What of the value does not fit; None where it does, or where there is no schema."""
    if schema is None:
        return None
    from runs.host.schema import problem_with  # jsonschema is much to import, and few scripts ask for it

    return problem_with(value, schema)
