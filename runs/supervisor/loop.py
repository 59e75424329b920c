"""The supervisor's loop: passes the children's lines on, restarts who dies, stops all within a deadline."""

import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

from runs.supervisor.child import Child, Spec
from runs.supervisor.output import Lines

TICK_SECONDS = 0.1
# From the signal until children that have not ended are killed; with it all is over within 5 seconds.
STOP_SECONDS = 4.2
# A vital child that has died so often before anything was up will not come up.
TRIES = 5
LAST_LINES = 8


class NeverUpError(Exception):
    """A vital child died again and again before anything was up; the text has the last lines that it printed."""


class Loop:
    """Runs in the main thread of the process: the children's tethers hold on to the thread that starts them."""

    def __init__(self, specs: Sequence[Spec], say: Callable[[str], None], stop_seconds: float = STOP_SECONDS) -> None:
        self.children = [Child(spec) for spec in specs]
        self._print = say
        self._stop_seconds = stop_seconds
        self._selector = selectors.DefaultSelector()
        self._stop = False
        self._waiting = True  # until `once_up` is true
        self._last: dict[str, deque[str]] = {spec.name: deque(maxlen=LAST_LINES) for spec in specs}

    def run(self, once_up: Callable[[], bool]) -> None:
        """Start all children and keep them running until SIGINT or SIGTERM.

        `once_up` is asked each tick until it returns True; it is the place for what has to wait until the web answers.
        Raises `NeverUpError`, with all children stopped, when a vital child dies `TRIES` times before that.
        """
        previous = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while not self._stop:
                self._restart()
                self._pass_output(TICK_SECONDS)
                self._waiting = self._waiting and not once_up()
        finally:
            self.stop()
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _say(self, line: str) -> None:
        try:
            self._print(line)
        except OSError:
            self._stop = True  # nobody reads us any more, as in `manage.py up | head`

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stop = True

    def _restart(self) -> None:
        for child in self.children:
            if child.process is not None and not child.running():
                code, pause = child.process.returncode, child.died()
                if child.spec.vital and self._waiting and child.deaths >= TRIES:
                    self._give_up(child.spec.name, code)
                self._say(f"{child.spec.name} ended with exit code {code}; starting it again in {pause:g} s")
            if child.due():
                process = child.start()
                assert process.stdout is not None
                self._selector.register(process.stdout, selectors.EVENT_READ, Lines(child.spec.name, process.stdout))

    def _give_up(self, name: str, code: int) -> NoReturn:
        self._pass_output(0)
        lines = "\n".join(["Its last lines:", *self._last[name]] if self._last[name] else ["It printed nothing."])
        raise NeverUpError(f"{name} ended {TRIES} times before it served, now with exit code {code}. {lines}")

    def _pass_output(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            lines: Lines = key.data
            try:
                for line in lines.read():
                    self._last[lines.name].append(line)
                    self._say(line)
            except EOFError:
                self._forget(key.fileobj)

    def _forget(self, pipe: Any) -> None:
        self._selector.unregister(pipe)
        pipe.close()

    def stop(self) -> None:
        """Ask every child to end, go on passing its lines, and kill the groups of those that are not done in time."""
        deadline = time.monotonic() + self._stop_seconds
        for child in self.children:
            child.terminate()
        while any(child.running() for child in self.children) and time.monotonic() < deadline:
            self._pass_output(TICK_SECONDS)
        for child in self.children:
            if child.running():
                self._say(f"{child.spec.name} did not stop in {self._stop_seconds:g} s and is killed")
            child.kill()
        self._pass_output(0)
        for key in list(self._selector.get_map().values()):
            self._forget(key.fileobj)
