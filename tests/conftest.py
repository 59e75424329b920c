"""The test run as a whole: which services there are, which parts were therefore skipped, and databases of its own.

DAYBOOK_REQUIRE_ALL=1 makes a skipped part a failure, which is how CI runs.
"""

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import services
from helpers import House, copy_house

SERVICES = ("postgres", "redis", "browser", "node")
PREFIX = "part not run: "


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a service that is not there."""
    for item in items:
        for service in SERVICES:
            if item.get_closest_marker(service) and (reason := services.missing(service)):
                item.add_marker(pytest.mark.skip(reason=PREFIX + reason))


def _skipped_parts(config: pytest.Config) -> dict[str, int]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    counts: dict[str, int] = {}
    for report in reporter.stats.get("skipped", []) if reporter else []:
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _, found, part = reason.partition(PREFIX)
        if found:
            counts[part] = counts.get(part, 0) + 1
    return counts


def _all_required() -> bool:
    return os.environ.get("DAYBOOK_REQUIRE_ALL", "") not in {"", "0"}


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Under DAYBOOK_REQUIRE_ALL a run that skipped a part has failed."""
    controls = not hasattr(session.config, "workerinput")
    if controls and session.exitstatus == pytest.ExitCode.OK and _all_required() and _skipped_parts(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say at the end which parts did not run, and why."""
    parts = _skipped_parts(config)
    if not parts:
        return
    terminalreporter.section("parts not run", red=_all_required(), yellow=not _all_required())
    for part, count in sorted(parts.items()):
        terminalreporter.line(f"{count} test{'s' if count > 1 else ''} skipped: {part}")
    if _all_required():
        terminalreporter.line("DAYBOOK_REQUIRE_ALL is set: this run has failed.", red=True)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A database file of this very run, so that two runs in one checkout do not meet.

    A file and not memory: threads and processes share it as they do in production.
    """
    from django.conf import settings

    for database in settings.DATABASES.values():
        if "sqlite" in database["ENGINE"]:
            name = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
        else:
            name = f"test_daybook_{uuid.uuid4().hex[:12]}"
        database.setdefault("TEST", {})["NAME"] = name


@pytest.fixture(scope="session", autouse=True)
def _counters_of_this_run() -> None:
    """Failures to sign in are counted in memory, and not in the files of whoever runs the tests."""
    from django.conf import settings

    settings.CACHES["counters"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "counters"}


@pytest.fixture(scope="session")
def house_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated installation to copy; migrating once per test process is enough."""
    folder = tmp_path_factory.mktemp("template")
    House(folder).manage("migrate", "--verbosity", "0")
    return folder


@pytest.fixture
def make_house(house_template: Path, tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Makes installations on SQLite; keyword arguments are environment variables."""
    made: list[House] = []

    def make(**environ: str) -> House:
        made.append(copy_house(house_template, tmp_path / f"house{len(made)}", **environ))
        return made[-1]

    yield make
    for house in made:
        house.close()


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    """One installation on SQLite, of this test alone."""
    return make_house()


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The address of an empty PostgreSQL database of this test alone. Use with the marker `postgres`."""
    import psycopg

    name = f"daybook_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(services.POSTGRES, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
    yield services.POSTGRES.rpartition("/")[0] + f"/{name}"
    with psycopg.connect(services.POSTGRES, autocommit=True) as server:
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def redis_url(worker_id: str) -> Iterator[str]:
    """The address of an emptied Redis database, one per test process. Use with the marker `redis`."""
    import redis

    # 0 is left alone: it is where a developer's own installation lives. Redis has 16 of them by default.
    number = 1 + (int(worker_id.removeprefix("gw")) if worker_id.startswith("gw") else 0) % 15
    url = f"{services.REDIS.rstrip('/')}/{number}"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url
        client.flushdb()
