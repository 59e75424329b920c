"""`manage.py verifyrun`: whether journals still replay, for before and after an upgrade."""

from typing import Any

from django.core.management.base import CommandParser

from runs.activity import one_line
from runs.commands.base import AWAY, DONE, FAILED, RunCommand
from runs.commands.progress import Progress
from runs.commands.reading import whole_number
from runs.commands.several import SHOWN, add_options, ids_of
from runs.commands.spread import verified
from runs.operations.verifying import AGREES, DIVERGED, Verified


class Command(RunCommand):
    help = (
        "Replays runs in memory against their journals, as strictly as a worker does, and says where script and "
        "journal part. Executes nothing and writes nothing. What waits or runs is verified as far as its journal "
        "goes; agents and redacted copies are counted as skipped."
    )
    exits = f"Exit codes: 0 all agree; 1 some have diverged; 2 bad usage or input{AWAY} Interrupted, --after goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add_options(parser, live=True)
        parser.add_argument(
            "--workers", type=whole_number, default=1, metavar="N", help="processes that replay side by side; 1"
        )

    def act(self, options: dict[str, Any]) -> int:
        counts = {"agrees": 0, "diverged": 0, "skipped": 0}
        diverged: list[dict[str, Any]] = []
        last = ""
        progress = Progress(self.stderr, 1 if options["id"] is not None else None)
        try:
            for chunk in verified(ids_of(options), options["workers"]):
                for found in chunk:
                    counts[found.outcome] += 1
                    last = found.run_id
                    if found.outcome == DIVERGED and len(diverged) < SHOWN:
                        diverged.append(found.as_dict())
                    if found.outcome != AGREES and (found.outcome == DIVERGED or options["id"] is not None):
                        self.tell(_said(found))
                progress.advance(len(chunk))
        except KeyboardInterrupt:
            if last and not self.json:
                self.note(f"Verified up to {last}; --after {last} goes on from there.")
            raise
        finally:
            progress.end()
        if self.json:
            self.answer({"runs": sum(counts.values()), **counts, "last": last or None, "findings": diverged})
        if last and sum(counts.values()) == options["limit"]:
            self.note(f"Verified up to {last}; --after {last} goes on from there.")
        told = f"{sum(counts.values()):,} runs: {counts['agrees']:,} agree, {counts['diverged']:,} have diverged"
        self.tell(f"{told}, {counts['skipped']:,} skipped")
        return FAILED if counts["diverged"] else DONE


def _said(found: Verified) -> str:
    where = [f"call {found.call_seq}"] if found.call_seq else []
    where += [f"line {found.line}"] if found.line else []
    where += [one_line(found.key, 120)] if found.key else []
    at = f" ({', '.join(where)})" if where else ""
    return f"{found.run_id} {found.outcome}{at}: {one_line(found.message, 400)}"
