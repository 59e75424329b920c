"""`manage.py cancelrun`: stop runs and all below them."""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from runs import audit
from runs.cancelling import cancel
from runs.commands.base import AWAY, BAD, DONE, RunCommand
from runs.commands.lookup import run_of
from runs.errors import NotPossible


class Command(RunCommand):
    help = "Cancels runs, each with its children. What waits ends at once; a worker is told to end what it holds."
    exits = f"Exit codes: 0 canceled, or told; 2 there is no such run, and nothing was done, or some had ended{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "runs", metavar="ID", nargs="+", help="a run's id, or as much of its beginning as only it has"
        )
        parser.add_argument("--reason", default="", help="why; it stands in the error of each run")

    def act(self, options: dict[str, Any]) -> int:
        record = partial(audit.record, None, verb="cancel", reason=options["reason"])
        done, told, refused = [], [], {}
        for pk in dict.fromkeys([run_of(given).pk for given in options["runs"]]):
            try:
                canceled = cancel(pk, options["reason"], also=record)
            except NotPossible as ended:
                refused[pk] = str(ended)
            else:
                done += canceled.done
                told += canceled.told
        if self.json:
            self.answer({"canceled": done, "told": told, "refused": refused})
        self.tell(*(f"{pk} canceled" for pk in done), *(f"{pk} is told to end" for pk in told))
        self.note(*(f"{pk}: {why}" for pk, why in refused.items()))
        return BAD if refused else DONE
