"""System checks of what would lose work or do it twice, each with an id and the fix, for `manage.py check`."""

from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.core.management import get_commands
from django.db import connections

from runs.conf import conf

Apps = Sequence[AppConfig] | None


@register(Tags.compatibility)
def queue_settings(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """E001 retry within timeout, E002 tasks run inside the caller, E003 the queue in another database, E004 q2's own
    qcluster in place of ours."""
    return list(_queue_settings(settings.Q_CLUSTER))


def _queue_settings(queue: dict[str, Any]) -> Iterator[CheckMessage]:
    retry, timeout = queue.get("retry", 60), queue.get("timeout")
    if not timeout or retry <= timeout:
        yield Error(
            f"Q_CLUSTER hands a task out again after {retry} s while it may work for {timeout or 'any number of'} s.",
            hint="Set `retry` larger than `timeout` (DAYBOOK_TASK_RETRY, DAYBOOK_TASK_TIMEOUT).",
            id="daybook.E001",
        )
    if queue.get("sync"):
        yield Error(
            "Q_CLUSTER runs tasks inside whoever enqueues them, a web request for one.",
            hint="Remove `sync` and start workers with `manage.py qcluster`.",
            id="daybook.E002",
        )
    if queue.get("orm", "default") != "default":
        yield Error(
            "Q_CLUSTER keeps its queue in another database than the runs, so a nudge does not commit with its run.",
            hint="Set `orm` to 'default'.",
            id="daybook.E003",
        )
    if get_commands().get("qcluster") != "runs":
        yield Error(
            "`manage.py qcluster` is django-q2's, whose queue stays locked for ever when an idle worker is killed.",
            hint="List 'runs' before 'django_q' in INSTALLED_APPS.",
            id="daybook.E004",
        )


@register(Tags.compatibility)
def product_settings(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """E005 an unknown name in DAYBOOK, E006 a lease that ends before it is renewed."""
    try:
        product = conf()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="daybook.E005")]
    if product.lease_seconds < 2 * product.renew_seconds:
        return [
            Error(
                f"A lease lasts {product.lease_seconds} s and is renewed every {product.renew_seconds} s: one late "
                "renewal gives the run to a second worker.",
                hint="Set DAYBOOK_LEASE_SECONDS to at least twice DAYBOOK_RENEW_SECONDS.",
                id="daybook.E006",
            )
        ]
    return []


@register(Tags.compatibility)
def installation(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """E007 two QuickJS bindings that overwrite each other, E008 a package that shadows Python's `platform`."""
    found: list[CheckMessage] = []
    if _installed("quickjs") and _installed("quickjs-ng"):
        found.append(
            Error(
                "Both `quickjs` and `quickjs-ng` are installed; they share one module name, and the former cannot "
                "stop a runaway script.",
                hint="Run `pip uninstall quickjs quickjs-ng`, then `pip install quickjs-ng`.",
                id="daybook.E007",
            )
        )
    if (Path(settings.BASE_DIR) / "platform" / "__init__.py").exists():
        found.append(
            Error(
                "platform/ has an __init__.py and so takes the place of Python's own module `platform`.",
                hint="Delete platform/__init__.py: the folder is on the path and never a package.",
                id="daybook.E008",
            )
        )
    return found


def _installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


@register(Tags.compatibility)
def sqlite_options(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """E009 commits that a power cut can undo, E010 no write-ahead log, E011 transactions that fail as locked."""
    return [message for alias in connections for message in _sqlite_options(connections[alias].settings_dict)]


def _sqlite_options(database: dict[str, Any]) -> Iterator[CheckMessage]:
    if "sqlite" not in database["ENGINE"]:
        return
    options = database.get("OPTIONS", {})
    pragmas = str(options.get("init_command", "")).lower().replace(" ", "")
    if not _any_in(pragmas, ("synchronous=full", "synchronous=extra", "synchronous=2", "synchronous=3")):
        yield Error(
            "SQLite does not sync each commit to disk, so a power cut takes back entries that scripts acted on.",
            hint="Add 'PRAGMA synchronous=FULL;' to OPTIONS['init_command'].",
            id="daybook.E009",
        )
    if "journal_mode=wal" not in pragmas:
        yield Error(
            "SQLite is not in WAL mode, so every reader blocks the workers' writes.",
            hint="Add 'PRAGMA journal_mode=WAL;' to OPTIONS['init_command'].",
            id="daybook.E010",
        )
    if str(options.get("transaction_mode", "")).upper() not in {"IMMEDIATE", "EXCLUSIVE"}:
        yield Error(
            "SQLite transactions start as readers, and fail as 'database is locked' when two turn to writing.",
            hint="Set OPTIONS['transaction_mode'] to 'IMMEDIATE'.",
            id="daybook.E011",
        )


def _any_in(text: str, parts: Iterable[str]) -> bool:
    return any(part in text for part in parts)


@register(Tags.database)
def sqlite_in_force(
    app_configs: Apps = None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """E012 what the open database itself says; runs with `migrate` and `check --database`."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        connection = connections[alias]
        if connection.vendor != "sqlite" or connection.is_in_memory_db():  # type: ignore[attr-defined]
            continue
        with connection.cursor() as cursor:
            mode = cursor.execute("PRAGMA journal_mode").fetchone()[0]
            synchronous = cursor.execute("PRAGMA synchronous").fetchone()[0]
        if mode != "wal" or synchronous < 2:
            found.append(
                Error(
                    f"The SQLite database is open with journal_mode={mode} and synchronous={synchronous}.",
                    hint="Put it on a local disk: WAL needs shared memory, which network file systems do not give.",
                    id="daybook.E012",
                )
            )
    return found
