"""What the host is to a script, for an agent: runs the callable on a thread of the tools and commits how it ended."""

from queue import Empty, SimpleQueue
from threading import Event
from typing import Any

from journal.errors import FenceLost
from runs.agents.registry import AgentContext, find_agent
from runs.codes import Code
from runs.effects.threads import THREADS
from runs.held import HeldRun
from runs.host import Canceled, Control, Failed, Lost, Outcome, Released, Round, Succeeded
from runs.host.failure import run_error
from runs.host.ports import Clock
from runs.lease import Lease
from runs.models import Run
from runs.times import to_ms
from runs.tools import ToolError, execute

_Ending = Succeeded | Failed | Canceled


class _NotBegun:
    """The agent has a thread, but the lease is too old to begin."""


class AgentHost:
    """`advance` blocks until the agent has ended or is no longer wanted. An agent does not park: one that is handed
    over begins anew. It is told by `cancelled` and not waited for, as a tool is."""

    realm = None  # the watchdog looks for one

    def __init__(self, run: Run, journal: HeldRun, control: Control, clock: Clock, lease: Lease) -> None:
        self._run, self._journal, self._control, self._clock, self._lease = run, journal, control, clock, lease
        self._deadline = to_ms(run.deadline_at)
        self._cancel = Event()
        self._news: SimpleQueue[_Ending | _NotBegun | dict[str, Any] | None] = SimpleQueue()  # a dict is a progress

    def poke(self) -> None:
        self._news.put(None)

    def advance(self) -> Outcome:
        if self._control.cancel is None:
            self._start()
        try:
            return self._attend()
        except FenceLost:
            return Lost()
        finally:
            self._cancel.set()

    def _start(self) -> None:
        THREADS.submit(self._serve, given_up=self._cancel)

    def _serve(self) -> None:
        if not self._cancel.is_set():  # it was handed over, or lost, before there was a thread for it
            self._news.put(self._execute() if self._lease.fresh() else _NotBegun())

    def _attend(self) -> Outcome:
        while (ending := self._ending()) is None:
            if self._control.lost:
                return Lost()
            if self._control.release_at is not None and self._clock.now() >= self._control.release_at:
                return Released()
        self._journal.commit(Round(ending=ending))
        return ending

    def _ending(self) -> _Ending | None:
        """How it ends, None where that is not yet known."""
        if self._control.cancel is not None:
            return Canceled(run_error(Code.CANCELED, self._control.cancel, ""))
        now = self._clock.now()
        if now >= self._deadline:
            return Failed(
                run_error(Code.WALL_TIMEOUT, f"the run has lived as long as it may. {Code.WALL_TIMEOUT.help}", "")
            )
        until = min(at for at in (self._deadline, self._control.release_at) if at is not None)
        try:
            news = self._news.get(timeout=max(0, until - now) / 1000)
        except Empty:
            return None
        if isinstance(news, dict):
            self._journal.commit(Round(progress=news))
            return None
        if isinstance(news, _NotBegun):
            self._lease.renew()
            self._start()
            return None
        return news

    def _execute(self) -> _Ending:
        context = AgentContext(self._run.pk, 0, attempt=self._run.attempt, cancel=self._cancel, report=self._report)
        try:
            found = find_agent(self._run.agent)
        except ToolError as unknown:
            return Failed(run_error(unknown.code, unknown.message, "", detail=unknown.detail))
        outcome = execute(found, self._run.input, context, timeout_ms=max(1, self._deadline - self._clock.now()))
        if outcome.ok:
            return Succeeded(outcome.value)
        error = outcome.value
        more = {"retryable": error["retryable"], "detail": error["detail"]}
        return Failed(run_error(error["code"], error["message"], "", **more))

    def _report(self, fraction: float | None, label: str | None) -> None:
        self._news.put({"fraction": fraction, "label": label})
