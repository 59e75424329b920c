"""`manage.py pruneruns`: delete runs that ended long ago."""

import time
from functools import partial
from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Q
from django.utils import timezone

from runs import library
from runs.audit import record_pruned
from runs.commands.base import DONE, NO_ANSWER, RunCommand
from runs.commands.pruning import ENDED, Counted, age, batch, statuses
from runs.commands.reading import whole_number
from runs.commands.stopping import asked_to_stop
from runs.pruning import BATCH, BATCH_MOST, Asked, foresee, prune


class Command(RunCommand):
    help = (
        "Deletes runs that have ended, by whole trees: a root, its successors and all below them, where each has ended "
        "and the last one before that age. Live runs stay, and roots above live ones. Their idempotency keys are free "
        "again. In batches, beside workers; what was interrupted goes on when it is begun again."
    )
    exits = (
        "Exit codes: 0 deleted, or nothing to delete; 2 bad usage, and nothing was deleted; 3 not all: Ctrl-C, the"
        " database does not answer, or nobody takes the output."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("--older-than", type=age, required=True, metavar="AGE", help="since the last end: 90s, 45m, 12h, 30d, 8w")
        add("--status", nargs="+", choices=ENDED, metavar="STATUS", help=f"of the root: {', '.join(ENDED)}; all")
        add("--keep-failed", action="store_true", help="those that failed stay")
        add("--script", metavar="NAME", help="roots that were started as this script of the library; all runs")
        add("--limit", type=whole_number, metavar="N", help="at most so many runs; no limit")
        add("--batch", type=batch, default=BATCH, metavar="N", help=f"runs of a batch; {BATCH}, at most {BATCH_MOST}")
        add("--reason", default="", help="why; it stands in Django's log")
        add("--dry-run", action="store_true", help="say how many would be deleted; change nothing")

    def act(self, options: dict[str, Any]) -> int:
        wanted = statuses(options["status"], keep_failed=options["keep_failed"])
        of = Q(script=library.named(options["script"])) if options["script"] else Q()
        asked = Asked(timezone.now() - options["older_than"], wanted, of)
        return self._foresee(asked, options) if options["dry_run"] else self._prune(asked, options)

    def _foresee(self, asked: Asked, options: dict[str, Any]) -> int:
        told = foresee(asked, most=options["limit"])
        if self.json:
            self.answer({"dryRun": True, "before": asked.before.isoformat(), "trees": told.trees, "runs": told.runs})
        self.tell(f"{told.runs:,} runs in {told.trees:,} trees would be deleted")
        return DONE

    def _prune(self, asked: Asked, options: dict[str, Any]) -> int:
        before, most, began = asked.before.isoformat(), options["limit"], time.monotonic()
        also = partial(record_pruned, reason=options["reason"], before=before)
        counted = Counted(self.stderr, lambda: foresee(asked, most=most).runs)
        with counted, asked_to_stop(self.note) as stop:
            whole = prune(asked, batch=options["batch"], most=most, stop=stop, told=counted.add, also=also)
        done, seconds = counted.total, time.monotonic() - began
        if self.json:
            facts = {"dryRun": False, "before": before, "trees": done.trees, "runs": done.runs}
            facts |= {"entries": done.entries, "sources": done.sources, "whole": whole, "seconds": round(seconds, 3)}
            self.answer(facts)
        rate = f"{done.runs / max(seconds, 0.001):,.0f} runs a second"
        self.tell(f"{done.runs:,} runs in {done.trees:,} trees deleted, with {done.entries:,} entries; {rate}")
        if not whole:
            self.note("stopped before the end; the same command again goes on")
        return DONE if whole else NO_ANSWER
