"""`manage.py startrun`: starts a run of a script, and follows or executes it if asked to."""

from typing import Any

from django.core.management.base import CommandParser

from runs.commands import attending, findings
from runs.commands.base import DONE, EXITS, FAILED, NO_ANSWER, RunCommand
from runs.commands.printing import outcome
from runs.commands.starting import add_options, differs, fields_of, source_of
from runs.errors import BadSource, Refused
from runs.lifecycle import Status
from runs.lint import lint
from runs.reading.facts import result


class Command(RunCommand):
    help = "Starts a run of a script and prints its id."
    exits = f"{EXITS}; 3 the run has not ended (SECONDS are over, or Ctrl-C), or the database does not answer."
    source = name = ""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser)

    def act(self, options: dict[str, Any]) -> int:
        fields = fields_of(options)
        self.source, self.name = source_of(options, fields)
        found = lint(self.source)
        if not any(finding.is_error for finding in found):  # otherwise the refusal shows them all
            self.note(*findings.lines(found, self.source, self.name))
        try:
            run, created = attending.attend(self.source, fields, options, self.tell, self.note)
        except BadSource as refused:
            refused.findings = found if refused.findings else []
            raise
        except attending.NotEndedError as left:
            self.note(str(left))
            run, created = left.run, left.created
            code = NO_ANSWER
        else:
            code = FAILED if run.status in (Status.FAILED, Status.CANCELED) else DONE
            self.note(*outcome(run))
        if self.json:
            other = [] if created else differs(run, self.source, fields)
            told = [finding.as_dict() for finding in found]
            self.answer(result(run, created=created, differs=other, findings=told))
        return code

    def words_of(self, refused: Refused, options: dict[str, Any]) -> str:
        if not (isinstance(refused, BadSource) and refused.findings):
            return str(refused)
        shown = findings.lines(refused.findings, self.source, self.name)
        return "\n".join([f"not started, the script has {findings.counted(refused.findings)}", *shown])
