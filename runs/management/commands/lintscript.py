"""`manage.py lintscript`: says whether a script could be started, for editors and CI."""

from typing import Any

from django.core.management.base import CommandParser

from runs.commands import findings, reading
from runs.commands.base import DONE, FAILED, RunCommand
from runs.lint import lint


class Command(RunCommand):
    help = "Checks a script without starting it: findings as FILE:LINE:COLUMN: severity: message."
    exits = "Exit codes: 0 it can be started, though there may be warnings; 1 it has errors; 2 bad usage or input."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="the script, UTF-8; - reads it from standard input")

    def act(self, options: dict[str, Any]) -> int:
        name = options["file"]
        source = reading.script(name)
        found = lint(source)
        errors = [finding for finding in found if finding.is_error]
        if self.json:
            self.answer({"ok": not errors, "findings": [finding.as_dict() for finding in found]})
        self.tell(*findings.lines(found, source, name))
        self.note(f"{name}: {findings.counted(found)}")
        return FAILED if errors else DONE
