"""The supervisor's loop with small children: what they print, their deaths, a stop, and the death of the supervisor."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers import PATIENCE, ROOT, alive, descendants, eventually, kill

from runs.supervisor import child
from runs.supervisor.child import BACKOFF_SECONDS, Child, Spec
from runs.supervisor.loop import Loop, NeverUpError

# A supervisor of its own process: argument 1 is the file to run as its only child.
SUPERVISOR = """
import sys
from runs.supervisor.child import Spec
from runs.supervisor.loop import Loop
def once_up():
    print("asked", flush=True)
    return True
spec = Spec("child", sys.argv[1], ("one", "two"), {"COLOUR": "red"})
Loop([spec], lambda line: print(line, flush=True), 1.0).run(once_up)
print("over", flush=True)
"""
POLITE = """
import os, sys, time
print("hello", sys.argv[1:], os.environ["COLOUR"], os.getpid(), flush=True)
time.sleep(600)
"""
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("stubborn", os.getpid(), grandchild.pid, flush=True)
time.sleep(600)
"""
SHORT_LIVED = """
import sys
print("short")
sys.stdout.write("no newline at the end")
sys.exit(3)
"""


class Supervisor:
    def __init__(self, folder: Path, code: str) -> None:
        self.output = folder / "output"
        (folder / "child.py").write_text(code)
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SUPERVISOR, str(folder / "child.py")],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self, text: str) -> list[str]:
        """The lines that hold the text, as soon as there are any."""
        return eventually(lambda: [line for line in self.output.read_text().splitlines() if text in line], what=text)

    def close(self) -> None:
        kill(*descendants(self.process.pid), self.process.pid)
        self.process.wait()


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Callable[[str], Supervisor]]:
    made: list[Supervisor] = []

    def make(code: str) -> Supervisor:
        made.append(Supervisor(tmp_path, code))
        return made[-1]

    yield make
    for supervisor in made:
        supervisor.close()


def test_a_child_gets_its_arguments_and_variables_and_its_lines_carry_its_name(
    supervise: Callable[[str], Supervisor],
) -> None:
    supervisor = supervise(POLITE)
    assert supervisor.said("hello")[0].startswith("child   | hello ['one', 'two'] red")
    assert len(supervisor.said("asked")) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_supervisor_ends_its_children(
    supervise: Callable[[str], Supervisor], number: signal.Signals
) -> None:
    supervisor = supervise(POLITE)
    pid = int(supervisor.said("hello")[0].split()[-1])
    supervisor.process.send_signal(number)
    assert supervisor.process.wait(timeout=PATIENCE) == 0
    assert not alive(pid)
    assert supervisor.said("over")


def test_a_child_that_does_not_listen_is_killed_with_its_own_children(
    supervise: Callable[[str], Supervisor],
) -> None:
    supervisor = supervise(STUBBORN)
    pids = [int(word) for word in supervisor.said("stubborn")[0].split()[-2:]]
    began = time.monotonic()
    supervisor.process.terminate()
    assert supervisor.process.wait(timeout=PATIENCE) == 0
    assert time.monotonic() - began >= 1
    eventually(lambda: not any(map(alive, pids)))
    assert supervisor.said("is killed")


def test_a_child_that_dies_is_started_again_after_a_pause(supervise: Callable[[str], Supervisor]) -> None:
    supervisor = supervise(SHORT_LIVED)
    assert "exit code 3" in supervisor.said("starting it again")[0]
    eventually(lambda: len(supervisor.said("short")) >= 2)
    assert supervisor.said("child   | no newline at the end")


def test_no_child_outlives_a_killed_supervisor(supervise: Callable[[str], Supervisor]) -> None:
    supervisor = supervise(POLITE)
    pid = int(supervisor.said("hello")[0].split()[-1])
    supervisor.process.kill()
    supervisor.process.wait()
    eventually(lambda: not alive(pid))


def test_ctrl_c_at_the_terminal_reaches_only_the_supervisor(supervise: Callable[[str], Supervisor]) -> None:
    supervisor = supervise(POLITE)
    pid = int(supervisor.said("hello")[0].split()[-1])
    assert os.getpgid(pid) != os.getpgid(supervisor.process.pid)


def test_the_pause_grows_with_each_death_and_has_an_end() -> None:
    child = Child(Spec("name", "nothing.py"))
    pauses = [child.died() for _ in range(len(BACKOFF_SECONDS) + 3)]
    assert pauses == [*BACKOFF_SECONDS, 30, 30, 30]


def test_a_vital_child_that_never_comes_up_is_given_up_with_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "BACKOFF_SECONDS", (0,))
    (tmp_path / "child.py").write_text(SHORT_LIVED)
    said: list[str] = []
    loop = Loop([Spec("web", str(tmp_path / "child.py"), vital=True)], said.append)
    with pytest.raises(NeverUpError, match=r"web ended 5 times before it served.*exit code 3(?s:.*)no newline"):
        loop.run(lambda: False)
    assert len([line for line in said if "starting it again" in line]) == 4
