"""`manage.py showrun`: where a run stands, its journal, one of its calls."""

from typing import Any

from django.core.management.base import CommandParser

from runs.activity import line
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.calls import call_facts, entries_of
from runs.commands.lookup import run_of
from runs.commands.printing import call_lines, card
from runs.reading.facts import facts


class Command(RunCommand):
    help = "Shows a run: where it stands in words, its plan, input, output or error, and the use of its journal."
    exits = f"Exit codes: 0 shown, however the run ended; 2 there is no such run or call{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("id", metavar="ID", help="the run's id, or as much of its beginning as only it has")
        parser.add_argument("--journal", action="store_true", help="its entries too, one line each")
        parser.add_argument("--call", type=int, metavar="N", help="only call N: arguments, result or error, entries")

    def act(self, options: dict[str, Any]) -> int:
        run, call = run_of(options["id"]), options["call"]
        if self.json:
            answer = facts(run)
            if options["journal"]:
                answer["entries"] = [entry.as_dict() for entry in entries_of(run)]
            if call is not None:
                answer["call"] = call_facts(run, call)
            self.answer(answer)
        elif call is not None:
            self.tell(*call_lines(run, call))
        else:
            self.tell(*card(run))
        if options["journal"] and not self.json:
            self.tell("", *map(line, entries_of(run)))
        return DONE
