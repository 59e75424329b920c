"""`manage.py signalrun`: tell a run something that it waits for, or will wait for."""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from runs import signals
from runs.audit import record_signal
from runs.commands.base import AWAY, BAD, DONE, RunCommand
from runs.commands.lookup import run_of
from runs.commands.reading import json_value


class Command(RunCommand):
    help = "Sends a signal to a run. One that no open wait takes is kept for the next wait that does."
    exits = f"Exit codes: 0 delivered, kept, or sent before with this id; 2 refused, and nothing was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run", metavar="ID", help="the run's id, or as much of its beginning as only it has")
        parser.add_argument("name", metavar="NAME", help="the signal's name, as in ctx.waitForEvent({signal: NAME})")
        parser.add_argument("--payload", metavar="JSON", help="what the script gets: JSON, or @FILE")
        parser.add_argument("--id", dest="dedup", metavar="DEDUP", help="the same id again changes nothing")
        parser.add_argument("--wait-id", metavar="W", help="only for this open wait (showrun lists them)")
        parser.add_argument("--reason", default="", help="why; it stands in the log of what was done to the run")

    def act(self, options: dict[str, Any]) -> int:
        run = run_of(options["run"])
        payload = json_value(options["payload"], "--payload")
        name, which = options["name"], {"id": options["dedup"], "wait_id": options["wait_id"]}
        record = partial(record_signal, None, name=name, reason=options["reason"])
        sent = signals.send(run.pk, name, payload, **which, also=record)
        if self.json:
            self.answer(sent.as_dict())
        words = f"{sent.outcome}: {sent.reason}"
        if sent.outcome == "refused":
            self.note(words)
            return BAD
        self.tell(words)
        return DONE
