"""One installation with real workers and a real clock, and the test process joined to its database and its queue."""

import contextlib
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dj_database_url
import psycopg
import services
from cases.app import executions
from cases.app.executions import Execution
from cases.replaying import assert_replay_agrees, assert_whole
from django.conf import settings
from django.db import connections
from django.test import override_settings
from django_q.conf import Conf
from helpers import PATIENCE, House, alive, children, eventually, free_port, kill

from journal import store
from journal.entries import Entry
from runs.lifecycle import TERMINAL, Status
from runs.models import Run
from runs.starting import start

TESTS = Path(__file__).resolve().parent.parent
# Leases, looks and parks short enough for tests, long enough for two busy cores.
QUICK = {
    "DAYBOOK_WORKERS": "2",
    "DAYBOOK_LEASE_SECONDS": "3",
    "DAYBOOK_RENEW_SECONDS": "0.5",
    "DAYBOOK_CLOCK_SECONDS": "0.05",
    "DAYBOOK_RENUDGE_SECONDS": "0.5",
    "DAYBOOK_RESIDENT_SLEEP_MS": "20",
    "DAYBOOK_DRAIN_SECONDS": "1",
}


class Installation(House):
    """`begin` starts workers and clock; inside `joined` the test process reads and starts runs as any process of it."""

    def __init__(self, folder: Path, **environ: str) -> None:
        own = {"DJANGO_SETTINGS_MODULE": "cases.settings", "PYTHONPATH": str(TESTS), "SECRET_KEY": settings.SECRET_KEY}
        super().__init__(folder, **(own | QUICK | environ))
        self.cluster: subprocess.Popen[str] | None = None
        self.clock: subprocess.Popen[str] | None = None
        self.ports: list[int] = []  # where web processes answer

    def begin(self, each: int = 1) -> None:
        """Start that many clusters and clocks; of several, web processes too, at `ports`."""
        for _ in range(each):
            self.cluster = self.start("qcluster", "--skip-checks")
            self.clock = self.start("runclock", "--skip-checks")
        if each > 1:
            self.ports = [free_port() for _ in range(each)]
            for port in self.ports:
                self.serve(port)

    @contextlib.contextmanager
    def joined(self) -> Iterator[None]:
        database, redis = self.environ.get("DATABASE_URL"), self.environ.get("REDIS_URL")
        if database:
            entry: dict[str, Any] = dict(dj_database_url.parse(database))
        else:
            sqlite = {"timeout": 30, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA synchronous=FULL;"}
            entry = {"ENGINE": "config.sqlite", "NAME": self.folder / "daybook.sqlite3", "OPTIONS": sqlite}
        queue = {"redis": redis} if redis else {"orm": "default"}
        layer: dict[str, Any] = {"BACKEND": "channels.layers.InMemoryChannelLayer"}
        if redis:
            layer = {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [redis]}}
        daybook = {
            name.removeprefix("DAYBOOK_").lower(): float(value)
            for name, value in self.environ.items()
            if name.startswith("DAYBOOK_") and name.removeprefix("DAYBOOK_").lower() in _numbers()
        }
        own = override_settings(DAYBOOK=daybook, Q_CLUSTER=queue, CHANNEL_LAYERS={"default": layer})
        with _default_database(entry), _broker(redis), own:
            yield

    # Runs

    def run(self, source: str, **fields: Any) -> Run:
        """Start a script; `source` is the body of its main function."""
        return start(script(source), **fields).run

    def ended(self, run: Run, within: float = PATIENCE) -> Run:
        """The run as it is when it has ended."""
        with self.explained(run):
            return eventually(lambda: found if (found := look(run)).status in TERMINAL else None, within=within)

    def succeeded(self, run: Run, within: float = PATIENCE) -> Run:
        """As `ended`, and it succeeded, its journal is whole and a replay of it says the same."""
        found = self.ended(run, within)
        assert found.status == Status.SUCCEEDED, f"{found.error}\n{self.log()[-4000:]}"
        assert_whole(found)
        assert_replay_agrees(found)
        return found

    def failed(self, run: Run, code: str, within: float = PATIENCE) -> dict[str, Any]:
        """The error of the run, which has ended with that code."""
        found = self.ended(run, within)
        assert (found.status, found.error_code) == (Status.FAILED, code), f"{found.error}\n{found.output}"
        assert_whole(found)
        return found.error

    def parked(self, run: Run, within: float = PATIENCE) -> Run:
        with self.explained(run):
            return eventually(lambda: found if (found := look(run)).status == Status.WAITING else None, within=within)

    @contextlib.contextmanager
    def explained(self, run: Run) -> Iterator[None]:
        """A failure inside shows where the run stood and what the installation has printed last."""
        try:
            yield
        except AssertionError as error:
            found = look(run)
            where = f"{found.status} fence {found.fence} by {found.worker!r} until {found.lease_until}"
            tail = [str(entry.as_dict())[:200] for entry in store.read(run.journal_id)[-5:]]
            raise AssertionError(f"{error}\n{where}\n" + "\n".join(tail) + f"\n{self.log()[-6000:]}") from None

    def executions(self, run: Run) -> list[Execution]:
        return executions.of_run(self.folder / "executions", run.pk)

    def counts(self, run: Run) -> dict[str, int]:
        """How often each tool of the cases was executed for the run."""
        tools = [execution.tool for execution in self.executions(run)]
        return {tool: tools.count(tool) for tool in sorted(set(tools))}

    def open(self, gate: str) -> None:
        (self.folder / "gates").mkdir(exist_ok=True)
        (self.folder / "gates" / gate).touch()

    def arm(self, point: str, *, stop: bool = False) -> None:
        """The next process to reach the point dies there, or stops."""
        (self.folder / "armed").mkdir(exist_ok=True)
        (self.folder / "armed" / point).write_text("stop" if stop else "")

    # Processes

    def holder(self, run: Run) -> int:
        """The pid of the worker that holds the run, as soon as one does; one of our own processes."""
        with self.explained(run):
            pid = eventually(lambda: pid_of(look(run).worker))
        assert self.started_it(pid), f"{pid} is no worker of this installation"
        return pid

    def workers(self) -> list[int]:
        """The processes two below each running qcluster: workers, pusher and monitor."""
        mains = [process.pid for process in self.started if process.poll() is None and "qcluster" in process.args]
        return [pid for main in mains for sentinel in children(main) for pid in children(sentinel)]

    def mains(self, *kinds: str) -> list[subprocess.Popen[str]]:
        """The processes that were started here and run: qcluster, runclock or daphne; of all kinds by default."""
        running = [process for process in self.started if process.poll() is None]
        return [process for process in running if not kinds or any(kind in process.args for kind in kinds)]

    def started_it(self, pid: int) -> bool:
        """Whether a process is a worker below one of our clusters; without a listing of all, so at once."""
        mains = {process.pid for process in self.started if "qcluster" in process.args}
        for _ in range(2):
            try:
                pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                return False
        return pid in mains

    def kill_holder(self, run: Run) -> int:
        """SIGKILL to the worker that holds the run."""
        pid = self.holder(run)
        kill(pid)
        return pid

    def stop(self, process: subprocess.Popen[str], within: float = PATIENCE) -> None:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=within)


def script(body: str) -> str:
    return f"export default async function (input, ctx) {{\n{body}\n}}\n"


def look(run: Run) -> Run:
    """The run as the database has it now."""
    return Run.objects.select_related("source", "journal").get(pk=run.pk)


def entries(run: Run, kind: str = "") -> list[Entry]:
    return [entry for entry in store.read(run.journal_id) if kind in ("", entry.kind)]


def pid_of(worker: str) -> int | None:
    """The pid in a worker's name, while that process lives."""
    parts = worker.split(":")
    return int(parts[1]) if len(parts) == 4 and alive(int(parts[1])) else None


def _numbers() -> set[str]:
    from dataclasses import fields

    from runs.conf import Conf as Product

    return {field.name for field in fields(Product) if isinstance(field.default, int | float)}


@contextlib.contextmanager
def _default_database(entry: dict[str, Any]) -> Iterator[None]:
    """The default connection of every thread of this process leads to another database."""
    before, kept = connections.settings["default"], connections["default"]
    connections.settings["default"] = connections.configure_settings({"default": entry})["default"]
    del connections["default"]
    try:
        yield
    finally:
        connections["default"].close()
        connections.settings["default"] = before
        connections["default"] = kept


@contextlib.contextmanager
def _broker(redis: str | None) -> Iterator[None]:
    before = Conf.ORM, Conf.REDIS
    Conf.ORM, Conf.REDIS = (None, redis) if redis else ("default", None)
    try:
        yield
    finally:
        Conf.ORM, Conf.REDIS = before


@contextlib.contextmanager
def database(template: str | None = None) -> Iterator[str]:
    """The address of a PostgreSQL database, empty or a copy of the one at `template`; it is dropped at the end."""
    name, copied = f"daybook_{uuid.uuid4().hex[:12]}", f' TEMPLATE "{template.rpartition("/")[2]}"' if template else ""
    with psycopg.connect(services.POSTGRES, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"{copied}')
    yield services.POSTGRES.rpartition("/")[0] + f"/{name}"
    with psycopg.connect(services.POSTGRES, autocommit=True) as server:
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def copied(template: Path, folder: Path, **environ: str) -> Installation:
    shutil.copytree(template, folder, dirs_exist_ok=True)
    return Installation(folder, **environ)
