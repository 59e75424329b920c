"""System checks for `manage.py check --deploy`: what an installation that others can reach would lose or give away,
beside what Django itself looks at."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, register
from django.core.checks import Warning as Warned
from django.db import connection

from runs.checks import Apps
from runs.conf import conf

_POLICY = "config.policy.SecurityHeaders"
_LIMIT, _TOO_MANY = "config.signing_in.Limit", "config.signing_in.TooManyAttempts"
_OF_ONE_PROCESS = ("locmem.LocMemCache", "dummy.DummyCache")


@register(Tags.security, deploy=True)
def reached_by_others(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """W001 any host name, W002 pages without the policy, W006 a proxy that nobody believes, W007 passwords that can be
    guessed, W008 a secret key that others of this host can read, W009 links to new passwords in the log."""
    return list(_reached_by_others())


def _reached_by_others() -> Iterator[CheckMessage]:
    if "*" in settings.ALLOWED_HOSTS:
        yield Warned(
            "The web process answers to any host name, so whoever asks for another's new password chooses where the "
            "link in that mail leads.",
            hint="List the names of this server in DAYBOOK_ALLOWED_HOSTS.",
            id="daybook.W001",
        )
    if _POLICY not in settings.MIDDLEWARE:
        yield Warned(
            "Pages have no Content-Security-Policy, so a text that got into one unescaped could run as a script.",
            hint=f"Add {_POLICY!r} to MIDDLEWARE.",
            id="daybook.W002",
        )
    if settings.SECURE_PROXY_SSL_HEADER and not conf().proxies:
        yield Warned(
            "Everybody seems to come from the address of the proxy, so one who guesses passwords keeps all others from "
            "signing in.",
            hint="Name the proxy's address or network in DAYBOOK_PROXIES, and have it set X-Forwarded-For.",
            id="daybook.W006",
        )
    if settings.AUTHENTICATION_BACKENDS[0] != _LIMIT or _TOO_MANY not in settings.MIDDLEWARE:
        yield Warned(
            "Nothing limits how often somebody may try a password.",
            hint=f"List {_LIMIT!r} first in AUTHENTICATION_BACKENDS, and {_TOO_MANY!r} in MIDDLEWARE.",
            id="daybook.W007",
        )
    key, folder = Path(settings.PRIVATE_DIR) / "secret-key", Path(settings.PRIVATE_DIR)
    if (key.exists() and key.stat().st_mode & 0o077) or (folder.exists() and folder.stat().st_mode & 0o022):
        yield Warned(
            f"Others of this host can read {key} or write in its folder, and so sign in as anybody.",
            hint=f"Run `chmod -R go= {folder}`; make another key where somebody may have read this one.",
            id="daybook.W008",
        )
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        yield Warned(
            "Mail is printed, so whoever reads the log can follow the link to somebody's new password.",
            hint="Set EMAIL_BACKEND=django.core.mail.backends.smtp.EmailBackend and EMAIL_HOST.",
            id="daybook.W009",
        )


@register(Tags.compatibility, deploy=True)
def several_hosts(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """W003 a secret key of this host alone, W004 hints that do not leave the process, W005 a cache that does not."""
    return list(_several_hosts(connection.vendor))


def _several_hosts(vendor: str) -> Iterator[CheckMessage]:
    if vendor == "postgresql" and _key_is_of_this_host():
        yield Warned(
            "The secret key was made on this host, so another host neither reads the queue's messages nor knows who is "
            "signed in.",
            hint="Set SECRET_KEY to the same value on all hosts; where there is one, a new disk would make another.",
            id="daybook.W003",
        )
    if vendor == "postgresql" and "InMemory" in settings.CHANNEL_LAYERS["default"]["BACKEND"]:
        yield Warned(
            "Hints of news do not leave the process, so pages served by another one look for news at intervals alone.",
            hint="Set REDIS_URL.",
            id="daybook.W004",
        )
    if settings.CACHES["default"]["BACKEND"].endswith(_OF_ONE_PROCESS):
        yield Warned(
            "The cache is of one process alone: the platform page sees neither the clock nor the clusters.",
            hint="Use files or Redis as the default cache.",
            id="daybook.W005",
        )


def _key_is_of_this_host() -> bool:
    kept = Path(settings.PRIVATE_DIR) / "secret-key"
    return kept.is_file() and kept.read_text(encoding="ascii").strip() == settings.SECRET_KEY
