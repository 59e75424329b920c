"""`manage.py schedulescript`: have a script of the library started again and again, or no longer."""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from runs.audit import record_schedule
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.reading import json_value
from runs.commands.scheduling import line
from runs.errors import BadInput
from runs.models import Run
from runs.schedules import Also, Planned, schedule, unschedule


class Command(RunCommand):
    help = "Starts a script of the library by a cron line or every so many minutes; the same NAME again replaces it."
    exits = f"Exit codes: 0 scheduled, or removed; 2 refused, and nothing was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("name", metavar="NAME", help="of the schedule")
        add("script", metavar="SCRIPT", nargs="?", help="NAME, its newest version at each firing, or NAME@VERSION")
        when = parser.add_mutually_exclusive_group()
        when.add_argument("--cron", metavar="LINE", help="minute hour day month weekday, in UTC: '30 6 * * mon-fri'")
        when.add_argument("--every", metavar="MINUTES", type=int, help="from now on, every so many minutes")
        when.add_argument("--remove", action="store_true", help="no longer; what it has started goes on")
        add("--input", metavar="JSON|@FILE", help="the input of each run (default: null)")
        add("--queue", default=Run.Queue.BACKGROUND.value, help=f"one of {', '.join(Run.Queue.values)}")
        add("--title", default="", help="of each run (default: the schedule's name and the planned time)")
        add("--reason", default="", help="why; it stands in the log of what was done to the schedule")

    def act(self, options: dict[str, Any]) -> int:
        told = partial(record_schedule, None, reason=options["reason"])
        planned = unschedule(options["name"], also=told) if options["remove"] else self._schedule(options, told)
        if self.json:
            self.answer(planned.as_dict() | {"removed": options["remove"]})
        self.tell(f"removed {planned.name}" if options["remove"] else line(planned))
        return DONE

    def _schedule(self, options: dict[str, Any], told: Also) -> Planned:
        if options["script"] is None:
            raise BadInput("name the script to start: schedulescript NAME SCRIPT --cron LINE")
        return schedule(
            options["name"],
            options["script"],
            cron=options["cron"],
            minutes=options["every"],
            input=json_value(options["input"]),
            queue=options["queue"],
            title=options["title"],
            also=told,
        )
