"""`manage.py retryrun`: another attempt of a run, from its failing call or from any, also with an edited script."""

from typing import Any

from django.core.management.base import CommandParser

from runs.commands.attending import page_of
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.lookup import run_of
from runs.commands.operating import add_options, fields_of, lines
from runs.errors import BadInput
from runs.operations import retry, rewind


class Command(RunCommand):
    help = "Executes the failing call of a failed run again and goes on from there; all else comes from the journal."
    exits = f"Exit codes: 0 queued again, or shown with --dry-run; 2 refused, and nothing was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser)
        parser.add_argument("--call", type=int, metavar="N", help="execute this failed call again instead")
        parser.add_argument("--rewind", type=int, metavar="N", help="execute call N and all calls after it again")

    def act(self, options: dict[str, Any]) -> int:
        if options["call"] is not None and options["rewind"] is not None:
            raise BadInput("--call retries one call, --rewind all from one on; give one of them")
        run = run_of(options["run"])
        fields = fields_of(run, options)
        if options["rewind"] is not None:
            done = rewind(run.pk, options["rewind"], **fields)
        else:
            done = retry(run.pk, call=options["call"], **fields)
        if self.json:
            self.answer(done.as_dict())
        self.tell(*lines(done))
        self.tell("Nothing was changed." if done.dry_run else f"{done.run_id} is queued, attempt {done.attempt}")
        if not done.dry_run:
            self.note(page_of(done.run_id))
        return DONE
