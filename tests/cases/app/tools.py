"""Tools that are told by their input to count, wait, fail, burn or die. Each records its executions."""

import os
import signal
import time
from pathlib import Path
from typing import Any

from cases.app import crashes, executions
from cases.app.gates import wait_for_gate
from django.conf import settings

from runs.tools import ToolContext, ToolError, tool


def _note(context: ToolContext, name: str) -> int:
    return executions.note(settings.DATA_DIR / "executions", context.token, name, context.attempt)


def _first_time(context: ToolContext) -> bool:
    try:
        os.close(os.open(_folder("seen") / context.token, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def _folder(name: str) -> Path:
    folder: Path = settings.DATA_DIR / name
    folder.mkdir(exist_ok=True)
    return folder


@tool("tick")
def tick(context: ToolContext) -> int:
    """1, 2, 3 ... for each run."""
    return _note(context, "tick")


@tool("counted")
def counted(context: ToolContext, v: Any = None) -> Any:
    """echo, recorded."""
    _note(context, "counted")
    return v


@tool("slow")
def slow(context: ToolContext, ms: int, v: Any = None) -> Any:
    _note(context, "slow")
    context.cancel.wait(ms / 1000)
    return v


@tool("gate")
def gate(context: ToolContext, name: str) -> str:
    """Returns when the test opens the gate of that name."""
    _note(context, "gate")
    wait_for_gate(name, context.cancel)
    return name


@tool("slow_to_stop")
def slow_to_stop(context: ToolContext, v: Any = None) -> Any:
    """Answers a while after it was told that nobody wants the answer any more."""
    _note(context, "slow_to_stop")
    context.cancel.wait(30)
    time.sleep(0.2)
    return v


@tool("boom")
def boom(context: ToolContext) -> None:
    _note(context, "boom")
    raise ToolError("boom", "it went off", detail={"fuse": [1, 2]})


@tool("flaky")
def flaky(context: ToolContext, good_at: int, die: bool = False) -> int:
    """Fails, retryably, until its attempt `good_at`; with `die` its first execution takes its worker down."""
    _note(context, "flaky")
    if die and _first_time(context):
        os.kill(os.getpid(), signal.SIGKILL)
    if context.attempt < good_at:
        raise ToolError("flaky", f"attempt {context.attempt} failed", retryable=True)
    return context.attempt


@tool("burn")
def burn(context: ToolContext, ms: int) -> int:
    """Uses the processor of its thread without a pause."""
    _note(context, "burn")
    until, count = time.monotonic() + ms / 1000, 0
    while time.monotonic() < until:
        count += 1
    return ms


@tool("big")
def big(context: ToolContext, size: int) -> str:
    _note(context, "big")
    return "x" * size


@tool("shout")
def shout(context: ToolContext, size: int) -> None:
    _note(context, "shout")
    raise RuntimeError("A" + "a" * size)


@tool("die_once")
def die_once(context: ToolContext) -> int:
    """Its effect done, takes its worker down; when the call is executed again, answers."""
    count = _note(context, "die_once")
    if _first_time(context):
        os.kill(os.getpid(), signal.SIGKILL)
    return count


@tool("die_always")
def die_always(context: ToolContext) -> None:
    _note(context, "die_always")
    os.kill(os.getpid(), signal.SIGKILL)


@tool("arm")
def arm(context: ToolContext, point: str, stop: bool = False) -> str:
    """The next process to reach the point of that name dies or stops there; arming is done once, re-executed or not."""
    if _first_time(context):
        crashes.arm(point, stop=stop)
    return point
