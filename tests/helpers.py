"""What tests share: waiting for a condition without sleeping blindly, free ports, an installation of its own."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
T = TypeVar("T")
PATIENCE = 60  # seconds that a test waits for what comes; one that passes takes none of them, on a slow machine neither


def eventually(condition: Callable[[], T], *, within: float = PATIENCE, every: float = 0.02, what: str = "") -> T:
    """The first true value of `condition`, asked again until `within` seconds are over.

    An AssertionError inside it counts as "not yet", and is the failure shown when time is up.
    """
    deadline = time.monotonic() + within
    while True:
        failure: AssertionError | None = None
        try:
            value = condition()
            if value:
                return value
        except AssertionError as error:
            failure = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within} s: {what or condition}") from failure
        time.sleep(every)


def free_port() -> int:
    """A TCP port on the loopback address that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    """Whether something listens at a TCP port of the loopback address."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    status = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return status.stdout.strip()[:1] not in {"", "Z"}


def children(pid: int) -> list[int]:
    """The direct children of a process, running ones only."""
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return [int(row[0]) for row in rows if int(row[1]) == pid and not row[2].startswith("Z")]


def descendants(pid: int) -> list[int]:
    """All processes below one, parents before their children."""
    below: list[int] = []
    for child in children(pid):
        below += [child, *descendants(child)]
    return below


def kill(*pids: int) -> None:
    """SIGKILL to each; those already gone are fine."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class House:
    """An installation of its own: a data folder, a migrated database and the environment that points there.

    `manage()` runs a command to its end, `start()` leaves one running until the test ends.
    """

    def __init__(self, folder: Path, **environ: str) -> None:
        self.folder = folder
        keep = {name: value for name, value in os.environ.items() if not name.startswith(("DAYBOOK_", "PYTEST_"))}
        keep.pop("DATABASE_URL", None)
        keep.pop("REDIS_URL", None)
        keep.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile all sources anew
        self.environ = keep | {"DAYBOOK_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"} | environ
        self.started: list[subprocess.Popen[str]] = []
        self._environs: dict[int, dict[str, str]] = {}

    def manage(self, *arguments: str, check: bool = True, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run `manage.py ARGUMENTS` to its end; fails the test on a non-zero exit unless `check` is off."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=self.environ | environ,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert not check or done.returncode == 0, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def shell(self, code: str, **environ: str) -> Any:
        """Run Python in the installation; what it passes to `answer()` comes back, by way of JSON."""
        prelude = "import json\ndef answer(value): print('ANSWER ' + json.dumps(value), flush=True)\n"
        lines = self.manage("shell", "--no-imports", "-c", prelude + code, **environ).stdout.splitlines()
        answers = [json.loads(line.removeprefix("ANSWER ")) for line in lines if line.startswith("ANSWER ")]
        return answers[-1] if answers else None

    def start(self, *arguments: str, **environ: str) -> subprocess.Popen[str]:
        """Start `manage.py ARGUMENTS`; its output goes to the file `log` in the folder."""
        return self._spawn([str(ROOT / "manage.py"), *arguments], environ)

    def serve(self, port: int, address: str = "127.0.0.1", **environ: str) -> subprocess.Popen[str]:
        """Start the web process; it answers on the loopback address when this returns."""
        paths = [str(ROOT), str(ROOT / "platform"), (self.environ | environ).get("PYTHONPATH", "")]
        environ |= {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        bind = ("--bind", address, "--port", str(port), "--verbosity", "0")
        process = self._spawn(["-m", "daphne", *bind, "config.asgi:application"], environ)
        eventually(lambda: answers(port) or process.poll() is not None, within=30, what="the web process serves")
        assert process.poll() is None, self.log()
        return process

    def _spawn(self, arguments: list[str], environ: dict[str, str]) -> subprocess.Popen[str]:
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                env=self.environ | environ,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.started.append(process)
        self._environs[process.pid] = environ
        return process

    def kill_and_start_again(self, process: subprocess.Popen[str]) -> None:
        """SIGKILL to one of the started; another takes its place, as where somebody looks after processes."""
        kill(process.pid)
        process.wait(timeout=PATIENCE)
        self.started.remove(process)
        self._spawn(list(process.args)[1:], self._environs.pop(process.pid))

    def log(self) -> str:
        """All that the started commands have printed so far."""
        path = self.folder / "log"
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        """End whatever still runs."""
        for process in self.started:
            kill(*descendants(process.pid))
            process.kill()
            process.wait()


def copy_house(template: Path, folder: Path, **environ: str) -> House:
    """A house whose database and key are copies of an already migrated one."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    return House(folder, **environ)
