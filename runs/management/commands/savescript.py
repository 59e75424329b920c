"""`manage.py savescript`: a script into the library, under a name that starts and schedules know it by."""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from runs import library
from runs.audit import record_saved
from runs.commands import findings, reading
from runs.commands.base import AWAY, DONE, RunCommand
from runs.errors import BadSource, Refused
from runs.lint import lint


class Command(RunCommand):
    help = "Saves a script under a name and prints NAME@VERSION. The same content is the same version."
    exits = f"Exit codes: 0 saved, or saved before; 2 refused, and nothing was written{AWAY}"
    source = ""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", metavar="NAME", help="lower-case letters, digits, '.', '_', '-'")
        parser.add_argument("file", metavar="FILE", help="the script, UTF-8; - reads it from standard input")
        parser.add_argument("--description", metavar="D", help="what it is for; replaces the one before")
        parser.add_argument("--reason", default="", help="why; it stands in the log of what was done to the script")

    def act(self, options: dict[str, Any]) -> int:
        self.source = reading.script(options["file"])
        told = partial(record_saved, None, reason=options["reason"])
        saved = library.save(options["name"], self.source, options["description"], also=told)
        self.note(*findings.lines(lint(self.source), self.source, options["file"]))
        if self.json:
            self.answer({"script": str(saved), "name": saved.script.name, "version": saved.number})
        self.tell(str(saved))
        return DONE

    def words_of(self, refused: Refused, options: dict[str, Any]) -> str:
        if not (isinstance(refused, BadSource) and refused.findings):
            return str(refused)
        shown = findings.lines(refused.findings, self.source, options["file"])
        return "\n".join([f"not saved, the script has {findings.counted(refused.findings)}", *shown])
