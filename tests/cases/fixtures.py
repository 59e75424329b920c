"""An installation per module: on SQLite, and on PostgreSQL with Redis where a module asks for both.

A module sets `ENVIRON` for shorter leases and the like, and `pytestmark = BOTH` to run on both.
"""

import contextlib
import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import services
from cases.installation import Installation, copied, database
from helpers import House


@pytest.fixture(scope="session")
def postgres_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A migrated PostgreSQL database to copy."""
    with database() as url:
        House(tmp_path_factory.mktemp("postgres"), DATABASE_URL=url).manage("migrate", "--verbosity", "0")
        yield url


@pytest.fixture(scope="module")
def engine(request: pytest.FixtureRequest) -> str:
    """sqlite, or postgres for PostgreSQL with Redis, or several for that with two processes of each kind."""
    return getattr(request, "param", "sqlite")


@pytest.fixture(scope="module")
def services_environ(engine: str, request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """DATABASE_URL and REDIS_URL of the engine."""
    if engine == "sqlite":
        yield {}
        return
    with own_services(request.getfixturevalue("postgres_template")) as environ:
        yield environ


@contextlib.contextmanager
def own_services(template: str) -> Iterator[dict[str, str]]:
    """DATABASE_URL of a copy of that PostgreSQL database, and REDIS_URL of an empty database of Redis."""
    import redis

    with own_redis_number() as number:
        url = f"{services.REDIS.rstrip('/')}/{number}"
        with database(template) as postgres, redis.Redis.from_url(url) as client:
            client.flushdb()
            yield {"DATABASE_URL": postgres, "REDIS_URL": url}
            client.flushdb()


@contextlib.contextmanager
def own_redis_number() -> Iterator[int]:
    """One of Redis's databases 8 to 15 that no other test process of this machine uses; below are other tests'."""
    with contextlib.ExitStack() as stack:
        for number in range(15, 7, -1):
            path = Path(tempfile.gettempdir()) / f"daybook-test-redis-{number}"
            file = stack.enter_context(path.open("w"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield number
            return
        pytest.fail("all of Redis's databases 8 to 15 are in use by tests")


@pytest.fixture(scope="module")
def house(
    request: pytest.FixtureRequest,
    house_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
    engine: str,
    services_environ: dict[str, str],
    django_db_blocker,
) -> Iterator[Installation]:
    """The module's installation, workers and clock running, this process joined to it."""
    environ = getattr(request.module, "ENVIRON", {}) | services_environ
    house = copied(house_template, tmp_path_factory.mktemp("cases"), **environ)
    with django_db_blocker.unblock(), house.joined():
        if getattr(request.module, "RUNNING", True):
            house.begin(2 if engine == "several" else 1)
        try:
            yield house
        finally:
            house.close()
