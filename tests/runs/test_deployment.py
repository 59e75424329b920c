"""What `check --deploy` says: nothing of settings as production has them, and one id for each fault."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as current
from helpers import House

from config.secret import secret_key
from runs import deployment

PRODUCTION = {
    "DAYBOOK_HTTPS": "1",
    "DAYBOOK_ALLOWED_HOSTS": "daybook.example.com",
    "DAYBOOK_PROXIES": "10.0.0.7",
    "SECRET_KEY": "q3J8vXz0nW5rT1yK7mB2cD9fG4hL6pS0aE3uI8oN5tR1wQ7xYz4kP",
    "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
}


def ids(messages: Any) -> list[str]:
    return [message.id.removeprefix("daybook.") for message in messages]


def test_production_settings_are_clean(house: House) -> None:
    done = house.manage("check", "--deploy", "--database", "default", "--fail-level", "WARNING", **PRODUCTION)
    assert done.stdout.strip() == "System check identified no issues (1 silenced)."


def test_https_comes_with_secure_cookies_a_redirect_and_hsts(house: House) -> None:
    asked = (
        "from django.conf import settings as s\n"
        "answer([s.SECURE_SSL_REDIRECT, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS,"
        " s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD, bool(s.SECURE_PROXY_SSL_HEADER)])"
    )
    assert house.shell(asked) == [False, False, False, 0, True, False, False]
    assert house.shell(asked, **PRODUCTION) == [True, True, True, 3600, True, False, True]
    more = {"DAYBOOK_HSTS_SECONDS": "31536000", "DAYBOOK_HSTS_SUBDOMAINS": "0", "DAYBOOK_HSTS_PRELOAD": "1"}
    assert house.shell(asked, **PRODUCTION, **more) == [True, True, True, 31_536_000, False, True, True]


def test_over_https_a_page_is_redirected_unless_the_proxy_says_that_it_came_so(settings: Any, client: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert settings.SECURE_REDIRECT_EXEMPT == [r"^(healthz|readyz)$"]
    assert client.get("/login/").headers["Location"] == "https://testserver/login/"
    assert client.get("/login/", headers={"x-forwarded-proto": "https"}).status_code == 200
    assert client.get("/healthz").status_code == 200
    assert "Location" not in client.get("/readyz").headers


def test_the_default_settings_have_of_ours_to_say_that_mail_is_printed(house: House) -> None:
    done = house.manage("check", "--deploy", "--database", "default")
    assert re.findall(r"daybook\.\w+", done.stderr) == ["daybook.W009"]


def _any_host(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]


def _no_policy(settings: Any) -> None:
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "policy" not in name]


def _no_proxies(settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


def _no_limit(settings: Any) -> None:
    settings.AUTHENTICATION_BACKENDS = settings.AUTHENTICATION_BACKENDS[1:]


def _no_answer(settings: Any) -> None:
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "TooMany" not in name]


def _open_key(settings: Any) -> None:
    secret_key(settings.PRIVATE_DIR / "secret-key")
    (settings.PRIVATE_DIR / "secret-key").chmod(0o640)


def _open_folder(settings: Any) -> None:
    settings.PRIVATE_DIR.mkdir()
    settings.PRIVATE_DIR.chmod(0o770)


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (_any_host, "W001"),
        (_no_policy, "W002"),
        (_no_proxies, "W006"),
        (_no_limit, "W007"),
        (_no_answer, "W007"),
        (_open_key, "W008"),
        (_open_folder, "W008"),
    ],
)
def test_what_would_be_given_away_is_told(
    settings: Any, tmp_path: Path, spoil: Callable[[Any], None], expected: str
) -> None:
    settings.PRIVATE_DIR = tmp_path / "private"
    settings.EMAIL_BACKEND = PRODUCTION["EMAIL_BACKEND"]
    assert ids(deployment.reached_by_others()) == []
    spoil(settings)
    assert ids(deployment.reached_by_others()) == [expected]


def test_what_holds_on_one_host_alone_is_told_where_the_database_is_shared(settings: Any, tmp_path: Path) -> None:
    settings.PRIVATE_DIR = tmp_path
    assert ids(deployment._several_hosts("postgresql")) == ["W004"]
    (tmp_path / "secret-key").write_text(f"{current.SECRET_KEY}\n")
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer"}}
    assert ids(deployment._several_hosts("postgresql")) == ["W003"]
    settings.SECRET_KEY = "another, from the environment"
    assert ids(deployment._several_hosts("postgresql")) == []


def test_a_cache_of_one_process_is_told(settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    assert ids(deployment._several_hosts("sqlite")) == ["W005"]
