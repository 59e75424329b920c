"""A journal as a story: one line per entry, with the narration of its calls. A line never holds a control character."""

from datetime import UTC, datetime
from typing import Any

from journal.entries import Entry, Kind
from runs.reading.cutting import written
from runs.times import from_ms
from runs.words import moment, span

_VALUE_MAX = 100  # characters of a value within a line
_LINE_MAX = 400
_HIDDEN = ("kind", "callSeq", "key", "line")


def line(entry: Entry) -> str:
    """seq, time (UTC) and what happened."""
    at = f"{from_ms(entry.at):%H:%M:%S.%f}"[:-3]
    return f"{entry.seq:>4}  {at}  {story(entry.body)}"


def story(body: dict[str, Any]) -> str:
    """What one entry says, in one line of at most 400 characters."""
    tell = _STORIES.get(body["kind"], _other)
    return one_line(tell(body), _LINE_MAX)


def brief(value: Any, most: int = _VALUE_MAX) -> str:
    """A JSON value on one line, cut at `most` characters."""
    return one_line(written(value, most), most)


def one_line(text: str, most: int) -> str:
    """The text without line breaks and terminal escapes, cut with a mark."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    return "".join(character if character.isprintable() else _escaped(character) for character in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode() if character.isascii() else f"\\u{ord(character):04x}"


def _call(body: dict[str, Any]) -> str:
    if body["op"] == "agent":
        return _delegate(body)
    told = f"{body['tool']} {brief(body['input'])}"
    narration = body.get("description")
    return f"call {body['callSeq']}: {narration} ({told})" if narration else f"call {body['callSeq']}: {told}"


def _delegate(body: dict[str, Any]) -> str:
    what = body.get("description") or body.get("title") or body.get("agent") or body.get("workflow") or "a script"
    step = f" in step {body['step']['label']}" if "step" in body else ""
    given = "" if body.get("input") is None else f" with {brief(body['input'])}"
    return f"call {body['callSeq']}{step}: child {what} {body['childRunId'] or '(not made)'}{given}"


def _wait(body: dict[str, Any]) -> str:
    what = body.get("label") or body["match"].get("signal") or "any signal"
    until = f", until {moment(from_ms(body['timeoutAt']), datetime.now(UTC))}" if body.get("timeoutAt") else ""
    return f"call {body['callSeq']}: waits for {what}{until} as {body['waitId']}"


def _event(body: dict[str, Any]) -> str:
    if body.get("timedOut"):
        return f"call {body['callSeq']}: nobody answered in time"
    return f"call {body['callSeq']}: signal {body['signal']} {brief(body['payload'])}"


def _result(body: dict[str, Any]) -> str:
    notes = [f"attempt {body['attempts']}"] if body.get("attempts", 1) > 1 else []
    notes += ["executed again"] if body.get("reexecuted") else []
    notes += ["after the run had ended"] if body.get("late") else []
    note = f" ({', '.join(notes)})" if notes else ""
    if body["status"] == "succeeded":
        return f"call {body['callSeq']} succeeded{note}: {brief(body['output'])}"
    return f"call {body['callSeq']} failed{note}: {_error(body['error'])}"


def _timer(body: dict[str, Any]) -> str:
    wake = moment(from_ms(body["wakeAt"]), datetime.now(UTC))
    if "retry" in body:
        return f"call {body['callSeq']} failed at attempt {body['retry']}: {_error(body['error'])}; again at {wake}"
    return f"call {body['callSeq']}: sleeps {span(body['ms'] / 1000)}, until {wake}"


def _fired(body: dict[str, Any]) -> str:
    if "retry" in body:
        return f"call {body['callSeq']}: attempt {body['retry'] + 1}"
    late = f", {span(body['lateMs'] / 1000)} late" if body["lateMs"] >= 1000 else ""
    return f"call {body['callSeq']}: awake again{late}"


def _log(body: dict[str, Any]) -> str:
    data = f" {brief(body['data'])}" if body.get("data") is not None else ""
    return f"{body['level']}: {body['message']}{data}"


def _step(body: dict[str, Any]) -> str:
    if body["phase"] == "start":
        return f"step {body['label']}: started"
    return f"step {body['label']}: {'done' if body['succeeded'] else 'failed: ' + str(body.get('error'))}"


def _plan(body: dict[str, Any]) -> str:
    plan = body["plan"]
    steps = ", ".join(step["label"] for step in plan["steps"])
    return f"plan {plan['title']}: {steps}" if plan.get("title") else f"plan: {steps}"


def _now(body: dict[str, Any]) -> str:
    return f"read the clock: {from_ms(body['value']).isoformat(timespec='milliseconds')}"


def _other(body: dict[str, Any]) -> str:
    return f"{body['kind']} {brief({name: value for name, value in body.items() if name not in _HIDDEN})}"


def _error(error: dict[str, Any]) -> str:
    return f"{error.get('code')}: {error.get('message')}"


_STORIES = {
    Kind.CALL.value: _call,
    Kind.RESULT.value: _result,
    Kind.TIMER.value: _timer,
    Kind.FIRED.value: _fired,
    Kind.WAIT.value: _wait,
    Kind.EVENT.value: _event,
    Kind.LOG.value: _log,
    Kind.STEP.value: _step,
    Kind.PLAN.value: _plan,
    Kind.NOW.value: _now,
}
