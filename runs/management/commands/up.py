"""`manage.py up`: web, workers and clock under one parent; Ctrl-C or SIGTERM ends all of them."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from runs.supervisor import firstrun
from runs.supervisor.child import Spec
from runs.supervisor.loop import Loop, NeverUpError
from runs.supervisor.tether import tether
from runs.visitors import is_loopback

EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (what such an address is called from here)


class Command(BaseCommand):
    help = "Serves Daybook: web, workers and clock as children of this process, until Ctrl-C or SIGTERM."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
        parser.add_argument("--workers", type=int, help="worker processes (default: DAYBOOK_WORKERS, or 2)")
        parser.add_argument("--no-example", action="store_true", help="start no example run")
        parser.add_argument(
            "--with-parent", action="store_true", help="end also when the process that started this one is killed"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port, workers = options["host"], options["port"], options["workers"]
        if not 1 <= port <= 65535:
            raise CommandError("--port takes 1 to 65535", returncode=2)
        if workers is not None and workers < 1:
            raise CommandError("--workers takes at least 1", returncode=2)
        if settings.DEBUG and not is_loopback(host):
            raise CommandError(
                f"DAYBOOK_DEBUG is on, and --host {host} would show its pages to others. Set DAYBOOK_DEBUG=0.",
                returncode=2,
            )
        if options["with_parent"]:
            tether(os.getppid())
        firstrun.refuse_missing_migrations()
        firstrun.refuse_taken_port(host, port)
        if admin := firstrun.first_admin():
            self.say(f"Made the first administrator: {admin[0]}, password {admin[1]} (shown only now)")
        near = EVERYWHERE.get(host, host)
        address = f"http://{f'[{near}]' if ':' in near else near}:{port}"

        def once_up() -> bool:
            if not firstrun.answers(near, port):
                return False
            self.say(f"Daybook serves at {address}/ and its admin at {address}/admin/")
            if not options["no_example"]:
                self.start_example(address)
            connections.close_all()
            return True

        connections.close_all()
        try:
            Loop(specs(host, port, address, workers), self.say).run(once_up)
        except NeverUpError as error:
            raise CommandError(str(error)) from error
        self.say("Stopped.")

    def start_example(self, address: str) -> None:
        try:
            run = firstrun.start_example()
        except Exception as error:  # noqa: BLE001  (whatever it is, the server serves and must go on)
            self.say(f"Could not start the example run: {error}")
            return
        if run:
            self.say(f"Started an example run: {address}/runs/{run}/")

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def specs(host: str, port: int, address: str, workers: int | None) -> list[Spec]:
    """The three children; `address` tells scripts and pages where this server is, unless a setting does.

    Scripts may also call this very server, which http.request would otherwise refuse as a loopback address.
    """
    manage = str(Path(settings.BASE_DIR) / "manage.py")
    environ = {}
    if "base_url" not in settings.DAYBOOK:
        environ["DAYBOOK_BASE_URL"] = address
    if "http_allow_hosts" not in settings.DAYBOOK:
        environ["DAYBOOK_HTTP_ALLOW_HOSTS"] = address.removeprefix("http://")
    if workers:
        environ["DAYBOOK_WORKERS"] = str(workers)
    web = ("--bind", host, "--port", str(port), "--verbosity", "0", "config.asgi:application")
    return [
        Spec("web", "daphne", web, environ, vital=True),
        Spec("workers", manage, ("qcluster",), environ),
        Spec("clock", manage, ("runclock",), environ),
    ]
