"""Points in the product at which a process kills or stops itself once, when a script or a test has armed them."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from runs import nudges, queue
from runs.effects.threads import Threads
from runs.effects.tools import ToolEffects
from runs.held import HeldRun
from runs.host import Parked, Round, Succeeded

_doing = threading.local()  # which commit this thread is in


def _folder() -> Path:
    folder: Path = settings.DATA_DIR / "armed"
    folder.mkdir(exist_ok=True)
    return folder


def arm(point: str, *, stop: bool = False) -> None:
    (_folder() / point).write_text("stop" if stop else "")


def reach(point: str) -> None:
    """Die here, or stop until a SIGCONT, if the point is armed; who takes its file away is the one who does."""
    reached = settings.DATA_DIR / "armed" / f"{point}.reached"
    try:
        (settings.DATA_DIR / "armed" / point).rename(reached)
    except FileNotFoundError:
        return
    if reached.read_text() == "stop":
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # by way of this thread, which goes no step further
    else:
        os.kill(os.getpid(), signal.SIGKILL)


def _name(round: Round) -> str:
    match round.ending:
        case Parked():
            return "park"
        case Succeeded():
            return "end"
    return "commit"


def install() -> None:
    """Wrap the product's functions; an unarmed point costs one failed rename."""
    _around_commit(HeldRun.commit)
    connection_created.connect(_inside_commit)
    _inside_around(HeldRun.commit_around)
    _after_tool(ToolEffects.execute)
    _around_thread(Threads.submit)
    _after_claim(queue.claim)
    _around_wake(queue.wake, nudges.nudge)


def _around_commit(commit: Callable[..., None]) -> None:
    def reaching(self: HeldRun, round: Round) -> None:
        reach(f"before-{_name(round)}")
        _doing.what = _name(round)
        try:
            commit(self, round)
        finally:
            _doing.what = None
        reach(f"after-{_name(round)}")

    HeldRun.commit = reaching  # type: ignore[method-assign]


def _inside_commit(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """The first write of a commit has been made, the transaction has not ended."""

    def reaching(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        done = execute(sql, params, many, context)
        if (what := getattr(_doing, "what", None)) and sql.startswith(("UPDATE", "INSERT", "WITH")):
            reach(f"inside-{what}")
        return done

    if not any(wrapper.__module__ == __name__ for wrapper in connection.execute_wrappers):
        connection.execute_wrappers.append(reaching)


def _inside_around(commit_around: Callable[..., None]) -> None:
    def reaching(self: HeldRun, round: Round, work: Callable[..., Any]) -> None:
        def done(*args: Any) -> Any:
            answer = work(*args)
            reach("inside-around")
            return answer

        commit_around(self, round, done)

    HeldRun.commit_around = reaching  # type: ignore[method-assign]


def _after_tool(execute: Callable[..., Any]) -> None:
    def reaching(self: ToolEffects, call: Any) -> Any:
        completion = execute(self, call)
        if call.tool != "arm":
            reach("after-tool")
        return completion

    ToolEffects.execute = reaching  # type: ignore[method-assign]


def _around_thread(submit: Callable[..., None]) -> None:
    """What was issued is on disk; its tool or agent has not begun."""

    def reaching(self: Threads, work: Callable[[], None], given_up: threading.Event) -> None:
        def begin() -> None:
            reach("on-thread")
            work()

        reach("before-thread")
        submit(self, begin, given_up)

    Threads.submit = reaching  # type: ignore[method-assign]


def _after_claim(claim: Callable[..., list[Any]]) -> None:
    def reaching(*args: Any, **kwargs: Any) -> list[Any]:
        runs = claim(*args, **kwargs)
        if runs:
            reach("after-claim")
        return runs

    queue.claim = reaching


def _around_wake(wake: Callable[..., int], nudge: Callable[[], None]) -> None:
    def reaching(*args: Any, **kwargs: Any) -> int:
        _doing.wake = True
        try:
            woken = wake(*args, **kwargs)
        finally:
            _doing.wake = False
        if woken:
            reach("after-wake")
        return woken

    def nudging() -> None:
        if getattr(_doing, "wake", False):
            reach("inside-wake")
        nudge()

    queue.wake, nudges.nudge = reaching, nudging
