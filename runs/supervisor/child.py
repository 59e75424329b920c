"""One child of the supervisor: what it runs, its process in a group of its own, and when it may be started again.

Run as a module it is the child's first code: it ties the process to the supervisor's life, then becomes the program.
"""

import os
import runpy
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from runs.supervisor.tether import tether

ROOT = Path(__file__).resolve().parent.parent.parent
BACKOFF_SECONDS = (0.5, 1, 2, 4, 8, 15, 30)
# One that lived this long had started well, so its next death begins the backoff anew.
HEALTHY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Spec:
    """`program` is "daphne" (a module) or a path to a Python file; `environ` is added to the child's environment.

    Without a `vital` child nothing is up: when it never comes up, the supervisor gives up.
    """

    name: str
    program: str
    arguments: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    vital: bool = False


class Child:
    """A child process that can be started, watched, told to end and killed, any number of times over."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.process: subprocess.Popen[bytes] | None = None
        self._started_at = time.monotonic()
        self._start_again_at = 0.0
        self.deaths = 0  # in a row, each soon after its start

    def start(self) -> subprocess.Popen[bytes]:
        """Start it, in a session of its own so that a Ctrl-C at the terminal reaches only the supervisor."""
        variables = [f"{name}={value}" for name, value in self.spec.environ.items()]
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-u", "-m", "runs.supervisor.child", str(os.getpid())),
                *(*variables, "--", self.spec.program, *self.spec.arguments),
            ],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._started_at = time.monotonic()
        return self.process

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def died(self) -> float:
        """Note that it has ended on its own; returns the seconds until it may be started again."""
        now = time.monotonic()
        self.deaths = 0 if now - self._started_at > HEALTHY_SECONDS else self.deaths
        pause = BACKOFF_SECONDS[min(self.deaths, len(BACKOFF_SECONDS) - 1)]
        self.deaths += 1
        self._start_again_at = now + pause
        self.kill()
        return pause

    def due(self) -> bool:
        """Whether it is down and its pause is over."""
        return self.process is None and time.monotonic() >= self._start_again_at

    def terminate(self) -> None:
        """SIGTERM to its main process only: q2's cluster must be stopped from its top."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """SIGKILL to its whole group, which also takes what a dead main process left behind."""
        if self.process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process = None


def main(arguments: list[str]) -> None:
    """PARENT_PID [NAME=VALUE ...] -- PROGRAM [ARGUMENT ...]: tether, set the variables, run the program in here."""
    tether(int(arguments[0]))
    split = arguments.index("--")
    for setting in arguments[1:split]:
        name, _, value = setting.partition("=")
        os.environ[name] = value
    # Last, as in manage.py: Python's own module `platform` stays first.
    sys.path.append(str(ROOT / "platform"))
    program, *sys.argv[1:] = arguments[split + 1 :]
    sys.argv[0] = program
    if program.endswith(".py"):
        runpy.run_path(program, run_name="__main__")
    else:
        runpy.run_module(program, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
