"""The body of each kind of entry, under the field names of the specification. The only place that writes them."""

from collections.abc import Sequence
from typing import Any

from journal.entries import Kind, digest, effect_key

Body = dict[str, Any]


def call(call_seq: int, tool: str, input: Any, line: int, description: str | None) -> Body:
    """A ctx.call. `line` is that of the script, 0 where the engine names none."""
    body = {"kind": Kind.CALL.value, "callSeq": call_seq, "key": call_key(tool, input), "op": "tool"}
    body |= {"tool": tool, "input": input, "line": line}
    if description is not None:
        body["description"] = description
    return body


def call_key(tool: str, input: Any) -> str:
    return effect_key("tool", tool, digest(input))


def result(call_seq: int, key: str, ok: bool, value: Any, *, reexecuted: bool = False, attempts: int = 1) -> Body:
    """The end of a call: `output`, or `error` with code, message, retryable, detail."""
    body: Body = {"kind": Kind.RESULT.value, "callSeq": call_seq, "key": key}
    body |= {"status": "succeeded", "output": value} if ok else {"status": "failed", "error": value}
    if attempts > 1:
        body["attempts"] = attempts
    if reexecuted:
        body["reexecuted"] = True
    return body


def delegate_key(spec: Any) -> str:
    """Of what the child is given; its title is narration."""
    return effect_key("agent", digest(child_spec(spec)))


def child_spec(fields: Any) -> dict[str, Any]:
    """What a child is given, of a spec or of the entry that carries it: its title is narration, and no part of it."""
    return {name: fields[name] for name in ("script", "agent", "workflow", "input", "output") if name in fields}


def delegate(
    call_seq: int, spec: Any, child_run_id: str | None, line: int, description: str | None, step: Any = None
) -> Body:
    """A ctx.delegate; `childRunId` is None where the child could not be made, and its result then says why. `step`:
    {id, label} of the ctx.step that it was asked for in."""
    body = {"kind": Kind.CALL.value, "callSeq": call_seq, "key": delegate_key(spec), "op": "agent"}
    body |= spec | {"childRunId": child_run_id, "line": line}
    if description is not None:
        body["description"] = description
    return body if step is None else body | {"step": step}


def wait(
    call_seq: int, wait_id: str, match: Any, timeout: int | None, timeout_at: int | None, label: str | None, line: int
) -> Body:
    """A ctx.waitForEvent; `timeoutAt` in ms since the epoch."""
    key = effect_key("wait", digest(match), "" if timeout is None else timeout)
    body = {"kind": Kind.WAIT.value, "callSeq": call_seq, "key": key, "waitId": wait_id, "match": match, "line": line}
    if timeout is not None:
        body |= {"timeout": timeout, "timeoutAt": timeout_at}
    return body if label is None else body | {"label": label}


def event(call_seq: int, key: str, wait_id: str, delivery: Any) -> Body:
    """The end of a wait: `payload` and `signal` of what answered it, neither when it timed out."""
    body = {"kind": Kind.EVENT.value, "callSeq": call_seq, "key": key, "waitId": wait_id}
    return body | ({"timedOut": True} if delivery is None else delivery)


def timer(call_seq: int, ms: int, wake_at: int, line: int) -> Body:
    """A ctx.sleep of `ms`; `wakeAt` in ms since the epoch."""
    key = effect_key("sleep", ms)
    return {"kind": Kind.TIMER.value, "callSeq": call_seq, "key": key, "ms": ms, "wakeAt": wake_at, "line": line}


def backoff(call_seq: int, key: str, wake_at: int, attempt: int, error: Any, *, reexecuted: bool = False) -> Body:
    """The pause before another attempt of a call; `error` is that of the attempt that failed."""
    body = {"kind": Kind.TIMER.value, "callSeq": call_seq, "key": key, "wakeAt": wake_at}
    body |= {"retry": attempt, "error": error}
    return body | {"reexecuted": True} if reexecuted else body


def fired(call_seq: int, key: str, late_ms: int, retry: int | None = None) -> Body:
    """The end of a timer; `lateMs` is how long after `wakeAt` it was seen."""
    body: Body = {"kind": Kind.FIRED.value, "callSeq": call_seq, "key": key, "lateMs": late_ms}
    return body if retry is None else body | {"retry": retry}


def now(call_seq: int, value: int) -> Body:
    return {"kind": Kind.NOW.value, "callSeq": call_seq, "key": "now", "value": value}


def log(call_seq: int, level: str, message: str, data: Any) -> Body:
    key = effect_key("log", level, message, digest(data))
    body = {"kind": Kind.LOG.value, "callSeq": call_seq, "key": key, "level": level, "message": message}
    return body if data is None else body | {"data": data}


def notice(level: str, message: str) -> Body:
    """A line that the host writes: no ctx call asked for it, replay passes it over."""
    return {"kind": Kind.LOG.value, "callSeq": 0, "level": level, "message": message, "origin": "host"}


def attempt(number: int, message: str, last_call_seq: int, kept: Sequence[int] = (), fence: int = 0) -> Body:
    """An operator's retry, rewind or fork. `lastCallSeq` is the last one ever given out, also to what is superseded:
    a callSeq is half of an idempotency token, so none is given to two calls. `kept`: the
    superseded calls whose results are good for the same calls, when the script comes to them again. `fence`: of the
    first claim after it, by which nothing that is written along with it can have been started before."""
    body = notice("info", message) | {"attempt": number, "lastCallSeq": last_call_seq, "kept": list(kept)}
    return body | {"fence": fence}


def step(call_seq: int, step_id: str, label: str, phase: str, ok: bool, error: str | None) -> Body:
    body = {"kind": Kind.STEP.value, "callSeq": call_seq, "key": effect_key("step", label)}
    body |= {"stepId": step_id, "label": label, "phase": phase}
    if phase == "end":
        body["succeeded"] = ok
    return body if error is None else body | {"error": error}


def plan(call_seq: int, snapshot: Any) -> Body:
    return {"kind": Kind.PLAN.value, "callSeq": call_seq, "key": effect_key("plan", digest(snapshot)), "plan": snapshot}


def opens(body: Body) -> bool:
    """Whether it opens something that the host completes: a tool call, a child, a sleep, a wait."""
    return body["kind"] in (Kind.CALL, Kind.WAIT) or (body["kind"] == Kind.TIMER and "retry" not in body)
