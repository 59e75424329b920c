"""`manage.py seedruns`: test data, a million runs in minutes."""

import time
from typing import Any

from django.core.management.base import CommandParser

from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.progress import Progress
from runs.commands.reading import whole_number
from runs.seeding import plan, seed


class Command(RunCommand):
    help = (
        "Makes test data: runs that have ended or wait, over the last three months, with scripts of the library named "
        "seed-...; no worker ever takes one. Again with the same number it goes on where it was interrupted."
    )
    exits = f"Exit codes: 0 made, or there already; 2 bad usage{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--runs", type=whole_number, default=1000, metavar="N", help="how many there are to be; 1000"
        )
        parser.add_argument("--entries", action="store_true", help="with their journals: about six entries each")
        parser.add_argument("--dry-run", action="store_true", help="say what would be made; change nothing")

    def act(self, options: dict[str, Any]) -> int:
        planned = plan(options["runs"])
        told = {"runs": planned.runs, "there": planned.there, "dryRun": options["dry_run"]}
        if options["dry_run"]:
            if self.json:
                self.answer({**told, "missing": planned.missing})
            self.tell(f"{planned.missing:,} runs would be made; {planned.there:,} are there")
            return DONE
        progress = Progress(self.stderr, planned.missing)
        began = time.monotonic()
        try:
            made = seed(planned, with_entries=options["entries"], told=progress.advance)
        finally:
            progress.end()
        seconds = time.monotonic() - began
        if self.json:
            self.answer({**told, "made": made.runs, "entries": made.entries, "seconds": round(seconds, 3)})
        self.tell(
            f"{made.runs:,} runs with {made.entries:,} entries made in {seconds:.1f} s; {planned.there:,} were there"
        )
        return DONE
