"""What parts of a file may be. A file is somebody else's: what we store and show of it is looked at first."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from journal.entries import Kind
from runs.ids import is_id
from runs.lifecycle import WAITS_ON
from runs.starting import BUDGET_MAX

MS_MAX = 253_402_300_799_999  # the last moment of the year 9999
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Shape:
    """`fits` says whether a value is `what`, as messages call it."""

    what: str
    fits: Callable[[Any], bool]


def text(most: int) -> Shape:
    """Without NUL and lone surrogates, which no text column holds."""
    return Shape(f"a text of at most {most} characters", lambda value: _is_text(value) and len(value) <= most)


def number(most: int, least: int = 0) -> Shape:
    return Shape(f"a whole number of {least} to {most}", lambda value: is_number(value, most, least))


def one_of(*values: Any) -> Shape:
    return Shape(f"one of {', '.join(map(repr, values))}", lambda value: isinstance(value, str) and value in values)


def optional(shape: Shape) -> Shape:
    return Shape(f"{shape.what}, or nothing", lambda value: value is None or shape.fits(value))


def either(what: str, *shapes: Shape) -> Shape:
    return Shape(what, lambda value: any(shape.fits(value) for shape in shapes))


def record(what: str, needed: Mapping[str, Shape], others: Mapping[str, Shape]) -> Shape:
    """A map that has all of `needed`; whatever else it has is as `others` says, where that says something."""

    def fits(value: Any) -> bool:
        if not isinstance(value, dict) or not needed.keys() <= value.keys():
            return False
        return all(shape.fits(value[name]) for name, shape in {**needed, **others}.items() if name in value)

    return Shape(what, fits)


def list_of(what: str, shape: Shape) -> Shape:
    return Shape(what, lambda value: isinstance(value, list) and all(shape.fits(item) for item in value))


def is_number(value: Any, most: int, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value and not any("\ud800" <= c <= "\udfff" for c in value)


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


ANY = Shape("a JSON value", lambda _value: True)
STRING = Shape("a text", lambda value: isinstance(value, str))
BOOLEAN = Shape("true or false", lambda value: isinstance(value, bool))
AMOUNT = Shape("a number of at least 0", _is_amount)
SHA256 = Shape("a SHA-256 in hex", lambda value: isinstance(value, str) and bool(_SHA256.match(value)))
MS = number(MS_MAX)
MICROS = number(MS_MAX * 1000)
SEQ = number(2**31 - 1)
PATHS = list_of("a list of paths", text(1_000))
_NAME = optional(STRING)
RUN_ID = Shape("the id of a run", lambda value: isinstance(value, str) and is_id(value))
STEP = record("a step", {"id": STRING, "label": STRING}, {})
BUDGET = Shape(
    "a budget",
    lambda value: (
        isinstance(value, dict)
        and all(name in BUDGET_MAX and _is_amount(item) and item <= BUDGET_MAX[name] for name, item in value.items())
    ),
)
ERROR = record(
    "an error",
    {"code": STRING, "message": STRING},
    {
        "line": optional(SEQ),
        "callSeq": optional(SEQ),
        "excerpt": _NAME,
        "stack": _NAME,
        "tool": _NAME,
        "childRunId": optional(RUN_ID),
    },
)
PLAN = record(
    "a plan",
    {"steps": list_of("steps", record("a step", {"label": STRING, "status": STRING}, {"id": STRING}))},
    {"title": _NAME},
)
PROGRESS = record("a progress", {}, {"fraction": optional(AMOUNT), "label": _NAME})
_MATCH = record("what a wait is for", {}, {"signal": _NAME})
WAIT = list_of(
    "what is waited for",
    record(
        "one of it",
        {"kind": one_of(*WAITS_ON), "callSeq": SEQ},
        {"wakeAt": optional(MS), "match": _MATCH, "label": _NAME, "waitId": STRING, "attempt": SEQ},
    ),
)

# What the body of each kind of entry has, so that whoever shows or replays it finds what it looks for.
_LINE = {"line": SEQ, "description": STRING, "step": STEP, "key": STRING}
_FAILURE = record("an error", {"code": STRING, "message": STRING}, {})
_CALLS = {
    "tool": record("a call", {"tool": STRING, "input": ANY, "key": STRING}, _LINE),
    "agent": record(
        "a delegation",
        {"childRunId": optional(RUN_ID), "key": STRING},
        _LINE | {"title": _NAME, "agent": _NAME, "workflow": _NAME, "script": STRING, "scriptSha256": SHA256},
    ),
}
_CALL = Shape("a call", lambda body: body.get("op") in ("tool", "agent") and _CALLS[body["op"]].fits(body))
_RESULTS = {
    "succeeded": record("a result", {"output": ANY}, {}),
    "failed": record("a failure", {"error": _FAILURE}, {}),
}
_RESULT = Shape(
    "a result",
    lambda body: (
        body.get("status") in ("succeeded", "failed")
        and is_number(body.get("attempts", 1), 2**31)
        and isinstance(body.get("key"), str)
        and _RESULTS[body["status"]].fits(body)
    ),
)
_SLEEP = record("a sleep", {"ms": AMOUNT, "wakeAt": MS, "key": STRING}, _LINE)
_BACKOFF = record("a pause", {"retry": SEQ, "wakeAt": MS, "error": _FAILURE, "key": STRING}, {})
_WAIT = record(
    "a wait",
    {"match": _MATCH, "waitId": STRING, "key": STRING},
    _LINE | {"timeoutAt": optional(MS), "timeout": optional(AMOUNT), "label": _NAME},
)
_EVENT = Shape(
    "an event",
    lambda body: (
        isinstance(body.get("waitId"), str)
        and isinstance(body.get("key"), str)
        and ("timedOut" in body or ("payload" in body and isinstance(body.get("signal"), str)))
    ),
)
_STEP = Shape(
    "the start or end of a step",
    lambda body: (
        all(isinstance(body.get(name), str) for name in ("stepId", "label"))
        and (body.get("phase") == "start" or (body.get("phase") == "end" and isinstance(body.get("succeeded"), bool)))
    ),
)
_LOG = record(
    "a line",
    {"level": STRING, "message": STRING},
    {"attempt": SEQ, "lastCallSeq": SEQ, "fence": SEQ, "kept": list_of("calls", SEQ)},
)
BODIES = {
    Kind.CALL.value: _CALL,
    Kind.RESULT.value: _RESULT,
    Kind.TIMER.value: Shape("a timer", lambda body: (_BACKOFF if "retry" in body else _SLEEP).fits(body)),
    Kind.FIRED.value: Shape(
        "the end of a timer", lambda body: is_number(body.get("retry" if "retry" in body else "lateMs"), MS_MAX)
    ),
    Kind.WAIT.value: _WAIT,
    Kind.EVENT.value: _EVENT,
    Kind.NOW.value: record("a reading of the clock", {"value": MS}, {}),
    Kind.LOG.value: _LOG,
    Kind.STEP.value: _STEP,
    Kind.PLAN.value: record("a plan", {"plan": PLAN}, {}),
}
