"""`manage.py forkrun`: a new run that goes on from one of the calls of another."""

from typing import Any

from django.core.management.base import CommandParser

from runs.commands.attending import page_of
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.lookup import run_of
from runs.commands.operating import add_options, fields_of, lines
from runs.commands.reading import json_value
from runs.operations import fork


class Command(RunCommand):
    help = "Starts a new run with what another has done before call N, and prints its id. The other stays as it is."
    exits = f"Exit codes: 0 started, or shown with --dry-run; 2 refused, and nothing was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser)
        parser.add_argument("--call", type=int, metavar="N", required=True, help="the first call that happens again")
        parser.add_argument(
            "--result",
            metavar="JSON",
            help="what call N came to, instead of executing it: JSON, or @FILE; of a wait, the payload",
        )

    def act(self, options: dict[str, Any]) -> int:
        run = run_of(options["run"])
        fields = fields_of(run, options)
        if options["result"] is not None:
            fields["result"] = json_value(options["result"], "--result")
        done = fork(run.pk, options["call"], **fields)
        if self.json:
            self.answer(done.as_dict())
        if done.dry_run:
            self.tell(*lines(done), "Nothing was changed.")
        else:
            self.tell(done.run_id)
            self.note(*lines(done), page_of(done.run_id))
        return DONE
