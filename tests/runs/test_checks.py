"""The system checks: silent on the settings as they are, and one id for each way to lose work."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from helpers import House

from runs import checks


def ids(messages: Any) -> list[str]:
    return [message.id.removeprefix("daybook.") for message in messages]


def queue(**changes: Any) -> list[str]:
    return ids(checks._queue_settings(settings.Q_CLUSTER | changes))


def sqlite(**changes: Any) -> list[str]:
    options = {"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;", "transaction_mode": "IMMEDIATE"}
    return ids(checks._sqlite_options({"ENGINE": "config.sqlite", "OPTIONS": options | changes}))


def test_the_settings_as_they_are_pass() -> None:
    assert queue() == []
    assert sqlite() == []
    assert (
        checks.queue_settings() == checks.sqlite_options() == checks.product_settings() == checks.installation() == []
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"retry": 100, "timeout": 100}, "E001"),
        ({"timeout": None}, "E001"),
        ({"sync": True}, "E002"),
        ({"orm": "other"}, "E003"),
    ],
)
def test_queue_settings_that_run_work_twice_are_refused(changes: dict[str, Any], expected: str) -> None:
    assert queue(**changes) == [expected]


def test_another_qcluster_than_ours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "get_commands", lambda: {"qcluster": "django_q"})
    assert queue() == ["E004"]


@pytest.mark.parametrize(
    ("daybook", "expected"),
    [({"no_such_setting": 1}, "E005"), ({"lease_seconds": 10, "renew_seconds": 9}, "E006")],
)
def test_product_settings_that_cannot_work_are_refused(
    django_settings: Any, daybook: dict[str, Any], expected: str
) -> None:
    django_settings.DAYBOOK = daybook
    assert ids(checks.product_settings()) == [expected]


@pytest.fixture
def django_settings(settings: Any) -> Any:
    return settings


def test_two_bindings_of_quickjs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "_installed", lambda name: True)
    assert ids(checks.installation()) == ["E007"]


def test_a_package_named_platform_is_refused(tmp_path: Path, django_settings: Any) -> None:
    (tmp_path / "platform").mkdir()
    (tmp_path / "platform" / "__init__.py").touch()
    django_settings.BASE_DIR = tmp_path
    assert ids(checks.installation()) == ["E008"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous = NORMAL"}, ["E009"]),
        ({"init_command": "PRAGMA journal_mode=DELETE; PRAGMA synchronous = FULL"}, ["E010"]),
        ({"init_command": ""}, ["E009", "E010"]),
        ({"transaction_mode": "DEFERRED"}, ["E011"]),
    ],
)
def test_sqlite_options_that_lose_commits_are_refused(changes: dict[str, Any], expected: list[str]) -> None:
    assert sqlite(**changes) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ATOMIC_REQUESTS": True}, ["E013"]),
        ({"AUTOCOMMIT": False}, ["E014"]),
        ({"OPTIONS": {"pool": True}}, ["E015"]),
        ({"OPTIONS": {"isolation_level": 4}}, ["E016"]),
        ({"OPTIONS": {"isolation_level": 2, "pool": False}}, []),
    ],
)
def test_database_options_that_lose_work_are_refused(changes: dict[str, Any], expected: list[str]) -> None:
    assert ids(checks._database_options({"ENGINE": "django.db.backends.postgresql", **changes})) == expected


def test_read_committed_is_what_the_driver_calls_it() -> None:
    assert checks._READ_COMMITTED == psycopg.IsolationLevel.READ_COMMITTED


def test_times_without_a_zone_are_refused(django_settings: Any) -> None:
    django_settings.USE_TZ = False
    assert ids(checks.database_options()) == ["E017"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"synchronous_commit": "local", "fsync": "on", "full_page_writes": "on"}, []),
        ({"synchronous_commit": "off", "fsync": "on", "full_page_writes": "on"}, ["E018"]),
        ({"synchronous_commit": "on", "fsync": "off", "full_page_writes": "on"}, ["E018"]),
        ({"synchronous_commit": "on", "fsync": "on", "full_page_writes": "off"}, ["E018"]),
    ],
)
def test_a_postgres_that_forgets_commits_is_refused(given: dict[str, str], expected: list[str]) -> None:
    assert ids(checks._postgres_in_force(given)) == expected


class JournalsElsewhere:
    """A database router."""

    def db_for_write(self, model: type, **_: Any) -> str | None:
        return "archive" if model._meta.app_label == "journal" else None  # type: ignore[attr-defined]


def test_what_commits_together_is_in_one_database(django_settings: Any) -> None:
    django_settings.DATABASE_ROUTERS = [JournalsElsewhere()]
    assert ids(checks.database_options()) == ["E019"]


@pytest.mark.postgres
def test_an_open_postgres_is_asked_itself(house: House, postgres_url: str) -> None:
    check = ("check", "--database", "default", "--fail-level", "ERROR")
    house.manage(*check, DATABASE_URL=postgres_url)
    answer = house.manage(*check, check=False, DATABASE_URL=f"{postgres_url}?options=-c%20synchronous_commit%3Doff")
    assert answer.returncode == 1
    assert "daybook.E018" in answer.stderr


@pytest.mark.django_db(transaction=True)
def test_the_open_database_is_asked_itself() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the tests run on another database than SQLite")
    assert checks.sqlite_in_force(databases=["default"]) == []
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=NORMAL")
    try:
        assert ids(checks.sqlite_in_force(databases=["default"])) == ["E012"]
    finally:
        connection.close()
