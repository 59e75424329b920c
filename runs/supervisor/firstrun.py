"""What the first start of an installation needs: a free port, a migrated database, an administrator, an example run."""

import secrets
import socket
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "welcome.js"


def refuse_taken_port(host: str, port: int) -> None:
    """Raise `CommandError` when nothing can listen at host:port, saying what to do."""
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise CommandError(f"{host} is no address of this machine: {error.strerror}.") from error
    with socket.socket(address[0], address[1]) as probe:
        # As servers do, so that connections of an earlier server that are still closing are not taken for one.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address[4])
        except OSError as error:
            raise CommandError(
                f"Cannot listen on {host}:{port}: {error.strerror}. "
                "Choose another port: `make run PORT=8001`, `manage.py up --port 8001`."
            ) from error


def refuse_missing_migrations() -> None:
    """Raise `CommandError` when the database lacks migrations of this version."""
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        raise CommandError(
            f"The database lacks {len(missing)} migrations. Run `python manage.py migrate` first, or use `make run`."
        )


def first_admin() -> tuple[str, str] | None:
    """Make an administrator when there is no superuser; returns name and password, which is stored nowhere else."""
    users = get_user_model().objects
    if users.filter(is_superuser=True).exists():
        return None
    # The plain name, unless somebody without rights has it already.
    names = ("admin", *(f"admin{number}" for number in range(2, 1000)))
    name = next(name for name in names if not users.filter(username=name).exists())
    password = secrets.token_urlsafe(12)
    users.create_superuser(name, password=password)
    return name, password


def answers(host: str, port: int) -> bool:
    """Whether the web process answers; any answer will do, it may know this host under another name only."""
    web = HTTPConnection(host, port, timeout=1)
    try:
        web.request("GET", "/healthz")
        web.getresponse().read()
    except (OSError, HTTPException):
        return False
    finally:
        web.close()
    return True


def start_example() -> str | None:
    """Start the example run; returns its id, or None where there is no example."""
    from runs.starting import start

    if not EXAMPLE.exists():
        return None
    return start(EXAMPLE.read_text(encoding="utf-8"), title="Welcome to Daybook", origin="up").run.pk
