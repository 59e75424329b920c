"""The settings as commands see them: what the environment may say, and what an installation keeps for itself."""

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from helpers import ROOT, House

from config.environment import flag, number, numbers, words
from config.secret import secret_key


def test_a_secret_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "private" / "secret-key"
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: secret_key(path), range(32)))
    assert keys == {secret_key(path)}
    assert len(keys.pop()) > 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret-key"]


def test_the_products_settings_come_from_the_environment() -> None:
    environ = {"DAYBOOK_SLOTS": "3", "DAYBOOK_RENEW_SECONDS": "0.5", "DAYBOOK_LEASE_SECONDS": "", "DAYBOOK_OTHER": "1"}
    assert numbers(environ, "SLOTS", "RENEW_SECONDS", "LEASE_SECONDS", "FUEL_MS") == {"slots": 3, "renew_seconds": 0.5}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLOTS", "many"),
        ("SLOTS", "1.5"),
        ("SLOTS", "-1"),
        ("RENEW_SECONDS", "soon"),
        ("RENEW_SECONDS", "-0.5"),
        ("RENEW_SECONDS", "nan"),
        ("RENEW_SECONDS", "inf"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(name: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"DAYBOOK_{name}"):
        numbers({f"DAYBOOK_{name}": value}, name)


def test_flags_numbers_and_words_have_defaults() -> None:
    assert flag({}, "F", default=True) is True
    assert flag({"F": "off"}, "F", default=True) is False
    assert number({"N": " "}, "N", default=7) == 7
    assert words({}, "W", default=["a"]) == ["a"]
    assert words({"W": "b, c,"}, "W", default=["a"]) == ["b", "c"]
    with pytest.raises(ImproperlyConfigured, match="neither true nor false"):
        flag({"F": "perhaps"}, "F", default=False)


def test_sqlite_syncs_every_commit_and_writes_ahead(house: House) -> None:
    asked = house.shell(
        "from django.db import connection\n"
        "ask = lambda name: connection.cursor().execute(f'PRAGMA {name}').fetchone()[0]\n"
        "answer([ask(name) for name in ('journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout')])"
    )
    assert asked == ["wal", 2, 1, 30_000]


def test_services_are_chosen_by_their_addresses(house: House) -> None:
    seen = house.shell(
        "from django.conf import settings as s\n"
        "answer([s.DATABASES['default']['ENGINE'], s.Q_CLUSTER['redis'], 'orm' in s.Q_CLUSTER,"
        " s.CHANNEL_LAYERS['default']['BACKEND'], s.CACHES['default']['BACKEND']])",
        DATABASE_URL="postgres://nobody@127.0.0.1:1/none",
        REDIS_URL="redis://127.0.0.1:1/0",
    )
    assert seen == [
        "django.db.backends.postgresql",
        "redis://127.0.0.1:1/0",
        False,
        "channels_redis.pubsub.RedisPubSubChannelLayer",
        "django.core.cache.backends.redis.RedisCache",
    ]


def test_commands_work_from_any_folder_and_with_pythons_own_platform(tmp_path: Path, house: House) -> None:
    assert ROOT not in tmp_path.parents
    assert house.shell("import platform\nanswer(platform.python_implementation())") == "CPython"


def test_without_django_the_command_line_says_what_to_do() -> None:
    bare = [sys.executable, "-I", "-S", str(ROOT / "manage.py"), "check"]
    done = subprocess.run(bare, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Django is not installed for this Python: run `make run` once")


def test_the_model_of_the_agent_llm_comes_from_the_environment(house: House) -> None:
    asked = (
        "from runs.conf import conf; c = conf()\n"
        "answer([c.llm_base_url, c.llm_model, c.llm_api_key, c.llm_timeout_seconds])"
    )
    assert house.shell(asked) == ["", "", "", 120]
    environ = {"BASE_URL": "http://127.0.0.1:1/v1", "MODEL": "tiny", "API_KEY": "k ", "TIMEOUT_SECONDS": "1.5"}
    given = house.shell(asked, **{f"DAYBOOK_LLM_{name}": value for name, value in environ.items()})
    assert given == ["http://127.0.0.1:1/v1", "tiny", "k", 1.5]
