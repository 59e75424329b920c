"""The family of ctx.call: executes tool calls on threads and hands their completions back to the host."""

import threading
from queue import Empty, SimpleQueue
from typing import Any

from runs.conf import conf
from runs.effects.children import prepare_child
from runs.effects.threads import THREADS
from runs.host import Call, Completion, NewChild
from runs.lease import Lease
from runs.tools import ToolContext, ToolError, execute, find


def _cut_off(completion: Completion) -> bool:
    """Whether an async tool failed because the interpreter is ending: no result, the call runs again elsewhere."""
    return not completion.ok and "after interpreter shutdown" in completion.value["message"]


class ToolEffects:
    """Implements the host's `EffectsPort` for one run; the threads are shared by all runs of the process. A call for
    which the lease is too old when its thread has come to it goes back to the run's thread, which renews the lease and
    starts the call again, or finds the run lost."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._done: SimpleQueue[Completion | Call | None] = SimpleQueue()  # a call came back; None is a poke

    def transactional(self, tool: str) -> bool:
        try:
            return find(tool).transactional
        except ToolError:
            return False

    def timeout_ms(self, tool: str) -> float | None:
        try:
            return find(tool).timeout_ms or conf().tool_timeout_ms
        except ToolError:
            return None

    def prepare_child(self, call_seq: int, spec: dict[str, Any]) -> tuple[NewChild | None, dict[str, Any] | None]:
        return prepare_child(call_seq, spec)

    def start(self, call: Call) -> None:
        THREADS.submit(lambda: self._serve(call), given_up=call.cancelled)

    def _serve(self, call: Call) -> None:
        if call.cancelled.is_set():  # its time was over, or its run, before there was a thread for it
            return
        if not self._lease.fresh():
            self._done.put(call)
            return
        call.begun.set()
        completion = self.execute(call)
        if threading.main_thread().is_alive() or not _cut_off(completion):
            self._done.put(completion)

    def execute(self, call: Call) -> Completion:
        try:
            tool = find(call.tool)
        except ToolError as error:
            return Completion(call.call_seq, call.attempt, False, error.as_dict())
        context = ToolContext(
            call.run_id,
            call.call_seq,
            attempt=call.attempt,
            cancel=call.cancelled,
            report=lambda fraction, label: call.progress({"fraction": fraction, "label": label}),
        )
        limit = None if call.timeout_ms is None else max(1, int(call.timeout_ms))
        outcome = execute(tool, call.input, context, timeout_ms=limit)
        return Completion(call.call_seq, call.attempt, outcome.ok, outcome.value)

    def wait(self, seconds: float | None) -> list[Completion]:
        found: list[Completion] = []
        try:
            first = self._done.get(timeout=seconds)
            while True:
                if isinstance(first, Call):
                    self._start_again(first)
                elif first is not None:
                    found.append(first)
                first = self._done.get_nowait()
        except Empty:
            return found

    def _start_again(self, call: Call) -> None:
        if not call.cancelled.is_set():
            self._lease.renew()
            self.start(call)

    def poke(self) -> None:
        self._done.put(None)
