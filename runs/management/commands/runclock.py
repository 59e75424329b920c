"""`manage.py runclock`: the clock, which wakes what is due and queues again what a dead worker held."""

import logging
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from runs.commands.reading import seconds
from runs.commands.ticking import run_clock
from runs.conf import conf


class Command(BaseCommand):
    help = (
        "Runs the clock until SIGTERM or Ctrl-C: wakes runs that are due, queues again what a dead worker held, nudges "
        "workers. Any number may run, on any host. sweepruns looks once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--interval",
            type=seconds,
            metavar="SECONDS",
            help="between two looks (default: DAYBOOK_CLOCK_SECONDS, 0.25)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        interval = conf().clock_seconds if options["interval"] is None else options["interval"]
        logging.getLogger("runs").info("clock: looks every %g s", interval)
        run_clock(max(interval, 0.01))
