"""`manage.py checkjournal`: whether journals are whole."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandParser

from runs.commands.base import AWAY, DONE, FAILED, RunCommand
from runs.commands.lookup import run_of
from runs.commands.progress import Progress
from runs.commands.several import SHOWN, add_options
from runs.errors import BadInput
from runs.health.journals import check, check_all
from runs.ids import is_id


class Command(RunCommand):
    help = (
        "Looks for what is wrong with journals: gaps, counters that do not agree with the entries, entries that cannot "
        "be decoded, ends of calls that nobody made, scripts that are gone, entries after the end, journals without "
        "runs, and live runs near their cap. Reads only; a batch of runs at a time, each of one moment."
    )
    exits = (
        f"Exit codes: 0 nothing found; 1 something was found; 2 bad usage or input{AWAY} Interrupted, --after goes on."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser, live=False)
        parser.add_argument("--no-decode", action="store_true", help="only what the database can add up, which is fast")

    def act(self, options: dict[str, Any]) -> int:
        progress = Progress(self.stderr, 1 if options["id"] is not None else None)
        counts: Counter[str] = Counter()
        findings: list[dict[str, Any]] = []
        runs, entries, last = 0, 0, ""
        try:
            for checked in self._checked(options):
                runs, entries, last = runs + checked.runs, entries + checked.entries, checked.last
                for found in checked.findings:
                    counts[found.code] += 1
                    if len(findings) < SHOWN:
                        findings.append(found.as_dict())
                    self.tell(f"{found.run_id} {found.code}: {found.message}")
                progress.advance(checked.runs)
        except KeyboardInterrupt:
            if last and not self.json:
                self.note(f"Checked up to {last}; --after {last} goes on from there.")
            raise
        finally:
            progress.end()
        if self.json:
            told = {"runs": runs, "entries": entries, "last": last or None}
            self.answer(told | {"counts": dict(counts), "findings": findings})
        if last and runs == options["limit"]:
            self.note(f"Checked up to {last}; --after {last} goes on from there.")
        self.tell(f"{runs:,} runs with {entries:,} entries: {sum(counts.values()) or 'nothing'} found")
        return FAILED if counts else DONE

    def _checked(self, options: dict[str, Any]) -> Any:
        decode = not options["no_decode"]
        if (options["id"] is not None) == options["all"]:
            raise BadInput("name one run, or give --all")
        if options["id"] is not None:
            # A journal whose run is gone has an id, too, and nobody can look it up by the run.
            run_id = options["id"] if is_id(options["id"]) else run_of(options["id"]).pk
            return [check(run_id, decode=decode)]
        if options["after"] and not is_id(options["after"]):
            raise BadInput(f"--after takes the whole id of a run, not {options['after']!r}")
        return check_all(options["after"], limit=options["limit"], decode=decode)
