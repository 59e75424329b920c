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
from django.db import connections, router
from django_q.models import OrmQ

from journal.models import RunJournal
from runs.conf import conf
from runs.models import Run

_READ_COMMITTED = 2  # psycopg.IsolationLevel.READ_COMMITTED
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


@register(Tags.compatibility)
def database_options(app_configs: Apps = None, **kwargs: Any) -> list[CheckMessage]:
    """E013 requests that hold a transaction open, E014 no commit of its own, E015 a pool that a fork breaks, E016
    transactions that fail where two meet, E017 times without a zone, E019 what belongs together in two databases."""
    found = [message for alias in connections for message in _database_options(connections[alias].settings_dict)]
    if not settings.USE_TZ:
        found.append(
            Error(
                "USE_TZ is off, so leases, wake times and deadlines are read in whatever zone each host is in.",
                hint="Set USE_TZ to True.",
                id="daybook.E017",
            )
        )
    if len(places := {router.db_for_write(model) for model in (Run, RunJournal, OrmQ)}) > 1:
        found.append(
            Error(
                f"DATABASE_ROUTERS send runs, their journals and the queue to {', '.join(sorted(places))}: what has to "
                "commit together does not.",
                hint="Have them all in one database.",
                id="daybook.E019",
            )
        )
    return found


def _database_options(database: dict[str, Any]) -> Iterator[CheckMessage]:
    options = database.get("OPTIONS", {})
    if database.get("ATOMIC_REQUESTS"):
        yield Error(
            "Each request is one transaction: a slow page holds its locks, on SQLite the one lock of all writers, and "
            "what a page has started is taken back when it fails behind that.",
            hint="Set ATOMIC_REQUESTS to False.",
            id="daybook.E013",
        )
    if not database.get("AUTOCOMMIT", True):
        yield Error(
            "The database does not commit by itself, so what is written outside a transaction is lost.",
            hint="Set AUTOCOMMIT to True.",
            id="daybook.E014",
        )
    if options.get("pool"):
        yield Error(
            "The database driver keeps a pool, whose threads and sockets do not survive the fork of a worker.",
            hint="Remove OPTIONS['pool']; connections are kept for CONN_MAX_AGE seconds.",
            id="daybook.E015",
        )
    if options.get("isolation_level") not in (None, _READ_COMMITTED):
        yield Error(
            "Transactions are isolated more than READ COMMITTED, so workers that meet fail instead of taking turns.",
            hint="Remove OPTIONS['isolation_level'].",
            id="daybook.E016",
        )


@register(Tags.database)
def postgres_in_force(
    app_configs: Apps = None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """E018 commits that a crash of the server takes back, as it says itself; runs as `sqlite_in_force` does."""
    found: list[CheckMessage] = []
    for alias in databases or ():
        if connections[alias].vendor != "postgresql":
            continue
        with connections[alias].cursor() as cursor:
            names = ("synchronous_commit", "fsync", "full_page_writes")
            cursor.execute("SELECT current_setting(%s), current_setting(%s), current_setting(%s)", names)
            found += _postgres_in_force(dict(zip(names, cursor.fetchone(), strict=True)))
    return found


def _postgres_in_force(given: dict[str, str]) -> Iterator[CheckMessage]:
    if off := [name for name, value in given.items() if value == "off"]:
        yield Error(
            f"PostgreSQL runs without {' and '.join(off)}: a crash of the server takes back entries that scripts acted "
            "on, or damages them.",
            hint=f"Set {' and '.join(off)} to on.",
            id="daybook.E018",
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
