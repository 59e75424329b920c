"""What /readyz tells: each thing that is missing by its name, soon also where nothing answers, and nobody's secrets."""

import http.client
import json
from collections.abc import Callable, Iterator

import pytest
import services
from cases.fixtures import own_redis_number, postgres_template  # noqa: F401
from cases.installation import database
from helpers import House, eventually, free_port
from proxy import Door

from runs.vitals import readiness
from runs.vitals.readiness import Finding, Question, Readiness

ALL_WELL = dict.fromkeys(("database", "migrations", "broker", "clock", "workers"), "ok")


def asked(port: int, accept: str = "application/json") -> tuple[int, str]:
    """Status and body; whoever does not answer in 30 s fails the test."""
    web = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        web.request("GET", "/readyz", headers={"accept": accept})
        answer = web.getresponse()
        return answer.status, answer.read().decode()
    finally:
        web.close()


def checks(port: int) -> dict[str, str]:
    return json.loads(asked(port)[1])["checks"]


def all_well(port: int) -> bool:
    assert checks(port) == ALL_WELL
    return True


def test_it_is_ready_when_clock_and_workers_have_been_seen(house: House) -> None:
    port = free_port()
    house.serve(port)
    told = checks(port)
    assert "manage.py runclock" in told["clock"]
    assert "manage.py qcluster" in told["workers"]
    assert asked(port)[0] == 503
    house.start("runclock")
    house.start("qcluster")
    eventually(lambda: asked(port) == (200, json.dumps({"ready": True, "checks": ALL_WELL})))
    plain = "\n".join(["ready", *(f"{name}: ok" for name in ALL_WELL), ""])
    assert asked(port, "*/*") == (200, plain)


def test_migrations_that_are_missing_are_counted(house: House) -> None:
    house.manage("migrate", "runs", "0009", "--verbosity", "0")
    port = free_port()
    house.serve(port)
    status, text = asked(port, "text/plain")
    assert status == 503
    assert text.startswith("not ready\ndatabase: ok\nmigrations: The database lacks ")
    assert "run manage.py migrate" in text
    house.manage("migrate", "--verbosity", "0")
    eventually(lambda: checks(port)["migrations"] == "ok")


@pytest.fixture
def behind_doors(make_house: Callable[..., House], postgres_template: str) -> Iterator[tuple[int, Door, Door]]:  # noqa: F811
    """A port that answers, and the doors to its PostgreSQL and its Redis."""
    with database(postgres_template) as url, own_redis_number() as number:
        to_database, database_url = Door.before(url)
        to_redis, redis_url = Door.before(f"{services.REDIS.rstrip('/')}/{number}")
        with to_database, to_redis:
            house = make_house(DATABASE_URL=database_url, REDIS_URL=redis_url)
            port = free_port()
            house.serve(port)
            house.start("runclock", "--skip-checks")
            house.start("qcluster", "--skip-checks")
            eventually(lambda: all_well(port))
            yield port, to_database, to_redis


@pytest.mark.postgres
@pytest.mark.redis
@pytest.mark.parametrize(
    "what", [pytest.param(Door.shut, marks=pytest.mark.heavy), Door.hush], ids=["refuses", "hangs"]
)
def test_it_answers_soon_also_when_nothing_answers_it(
    behind_doors: tuple[int, Door, Door], what: Callable[[Door], None]
) -> None:
    port, to_database, to_redis = behind_doors
    what(to_redis)
    told = eventually(lambda: found if (found := checks(port))["broker"] != "ok" else None)
    assert told["broker"].startswith("It does not answer. See that it runs, and that REDIS_URL leads to it.")
    assert told["database"] == told["migrations"] == "ok"
    what(to_database)
    told = eventually(lambda: found if (found := checks(port))["database"] != "ok" else None)
    assert told["database"].startswith("It does not answer. See that it runs, and that DATABASE_URL leads to it.")
    for secret in ("127.0.0.1", "postgres://", "redis://", "Traceback", "Error"):
        assert secret not in str(told)
    to_database.open()
    to_redis.open()
    eventually(lambda: all_well(port))


# One process's questions


def test_a_question_that_hangs_is_not_asked_again_and_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    monkeypatch.setattr(readiness, "WITHIN_SECONDS", 0.05)
    monkeypatch.setattr(readiness, "KEPT_SECONDS", 0)
    go, asked = threading.Event(), []

    def hang() -> str:
        asked.append(1)
        assert go.wait(60)
        return ""

    ready = Readiness([Question("slow", hang, "It is slow."), Question("other", lambda: "", "")])
    for _ in range(3):
        assert ready.findings() == [Finding("slow", "It is slow. Nothing came within 0.05 s."), Finding("other")]
    assert len(asked) == 1
    go.set()
    eventually(lambda: ready.findings() == [Finding("slow"), Finding("other")])


def test_an_answer_serves_all_who_ask_within_a_second() -> None:
    asked = []
    ready = Readiness([Question("one", lambda: asked.append(1) or "", "")])
    assert [ready.findings() for _ in range(50)] == [[Finding("one")]] * 50
    assert len(asked) == 1


def test_a_failure_stands_in_the_log_once_and_not_in_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> str:
        raise OSError("no route to db.internal")

    ready = Readiness([Question("one", fail, "It does not answer.")])
    ready._at = float("-inf")
    for _ in range(3):
        ready._at = float("-inf")
        assert ready.findings() == [Finding("one", "It does not answer.")]
    assert caplog.text.count("db.internal") == 1
