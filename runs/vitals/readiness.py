"""Whether this installation takes runs and carries them on: what each thing that they need answers when it is asked.

What is asked may hang for minutes: a database whose host is gone, a Redis that is stopped. So each question has a
thread of its own, and is not asked again while the last one is out. Who asks waits for a bounded time, and is told that
nothing came.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from runs.vitals.clock import SEEN_SECONDS, clocks
from runs.vitals.cluster import clusters, pending_nudges

WITHIN_SECONDS = 2.0  # for all answers together
KEPT_SECONDS = 1.0  # an answer serves everybody who asks within this time
_LISTENING = ("Starting", "Idle", "Working")
logger = logging.getLogger("runs")


@dataclass(frozen=True, slots=True)
class Finding:
    """Of one thing: `wrong` says what is wrong and what to do, and is empty where all is well. Strangers read it, so it
    names no host and quotes no error; the log does."""

    name: str
    wrong: str = ""


class Question:
    """Asked in a thread. `ask` returns what is wrong or "", or raises; `failed` are the words for that."""

    def __init__(self, name: str, ask: Callable[[], str], failed: str) -> None:
        self._name, self._ask, self._failed = name, ask, failed
        self._thread: threading.Thread | None = None
        self._answer = Finding(name)
        self._why = ""  # of what it raised; for the log alone
        self._told = ""

    def begin(self) -> None:
        """Ask, unless the last time is still out."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name=f"ready: {self._name}", daemon=True)
            self._thread.start()

    def answer(self, until: float) -> Finding:
        """What it came to; waits until that moment of `time.monotonic()`."""
        if self._thread:
            self._thread.join(max(0.0, until - time.monotonic()))
            if self._thread.is_alive():
                return self._tell(Finding(self._name, f"{self._failed} Nothing came within {WITHIN_SECONDS:g} s."))
        return self._tell(self._answer)

    def _run(self) -> None:
        self._why = ""
        try:
            self._answer = Finding(self._name, self._ask())
        except Exception as error:  # noqa: BLE001  (whatever it is, the answer is that it is not well)
            self._why = f" ({type(error).__name__}: {str(error).strip()})"
            self._answer = Finding(self._name, self._failed)
        finally:
            connections.close_all()

    def _tell(self, finding: Finding) -> Finding:
        """One line of the log for each change."""
        if finding.wrong != self._told:
            level = logging.WARNING if finding.wrong else logging.INFO
            logger.log(level, "ready: %s: %s%s", finding.name, finding.wrong or "ok", self._why)
            self._told = finding.wrong
        return finding


class Readiness:
    """The questions, and their last answers, for all threads of a process."""

    def __init__(self, questions: list[Question]) -> None:
        self._questions = questions
        self._lock = threading.Lock()
        self._found: list[Finding] = []
        self._at = float("-inf")

    def findings(self) -> list[Finding]:
        """One for each question, in their order, at most `KEPT_SECONDS` old; takes `WITHIN_SECONDS` at most, and twice
        that for who asks while another does."""
        with self._lock:
            if time.monotonic() - self._at >= KEPT_SECONDS:
                until = time.monotonic() + WITHIN_SECONDS
                for question in self._questions:
                    question.begin()
                self._found = [question.answer(until) for question in self._questions]
                self._at = time.monotonic()
            return self._found


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return ""


def _migrations() -> str:
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    return f"The database lacks {missing} of them: run manage.py migrate." if missing else ""


def _broker() -> str:
    if not (url := settings.Q_CLUSTER.get("redis")):
        pending_nudges()
        return ""
    import redis  # costs every other process time and memory
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    short = {"socket_timeout": WITHIN_SECONDS, "socket_connect_timeout": WITHIN_SECONDS}
    with redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0), **short) as client:
        client.ping()
    return ""


def _clock() -> str:
    if any(clock.running for clock in clocks()):
        return ""
    return (
        f"None was seen in the last {SEEN_SECONDS} s: sleeping runs are not woken, and runs of a lost worker stay with "
        "it. Start manage.py runclock."
    )


def _workers() -> str:
    if any(cluster.state in _LISTENING for cluster in clusters()):
        return ""
    return "None has told of itself: queued runs stay queued. Start manage.py qcluster."


def _questions() -> list[Question]:
    away = "It does not answer. See that it runs, and that {} leads to it."
    unknown = "Nothing is known of {} while the {} does not answer."
    signs = "cache, which is Redis where there is one,"
    return [
        Question("database", _database, away.format("DATABASE_URL")),
        Question("migrations", _migrations, unknown.format("them", "database")),
        Question("broker", _broker, away.format("REDIS_URL") + " Runs wait meanwhile, and none is lost."),
        Question("clock", _clock, unknown.format("it", signs)),
        Question("workers", _workers, unknown.format("them", signs)),
    ]


_of_this_process = Readiness(_questions())
readiness = partial(Readiness.findings, _of_this_process)
