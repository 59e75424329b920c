"""`manage.py tailrun`: a run's journal in the terminal, as it is written."""

import time
from typing import Any

from django.core.management.base import CommandParser

from journal.entries import Entry
from runs.activity import line
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.follow import Said, follow, follow_tree
from runs.commands.lookup import run_of
from runs.commands.reading import whole_number
from runs.errors import BadInput, UnknownRun
from runs.models import Run
from runs.words import status_words


class Command(RunCommand):
    help = (
        "Follows a run: a line for each entry of its journal, until it has ended or Ctrl-C, which leaves it running. "
        "With --json a JSON object a line, each an entry with the id of its run: there is no end to wait for, so it "
        "is not the one object of other commands."
    )
    exits = f"Exit codes: 0 the run has ended, however; 2 bad usage, or there is no such run{AWAY} 3 at Ctrl-C, too."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("id", metavar="ID", help="the run's id, or as much of its beginning as only it has")
        add("--tree", action="store_true", help="all runs of the tree that it is in, each line with the end of its id")
        add("--after", type=int, metavar="SEQ", help="of this run only the entries after that one")
        add("--last", type=whole_number, metavar="N", help="of each run only the newest N to begin with")

    def act(self, options: dict[str, Any]) -> int:
        run, after, last, tree = run_of(options["id"]), options["after"], options["last"], options["tree"]
        if after is not None and not 0 <= after < 2**31:
            raise BadInput(f"--after takes the seq of an entry, not {after}")
        seen: dict[str, int] = {}
        if last is not None:
            runs = Run.objects.filter(root_id=run.root_id) if tree else Run.objects.filter(pk=run.pk)
            heads = runs.values_list("pk", "journal__next_seq")
            seen = {pk: max(0, next_seq - 1 - last) for pk, next_seq in heads}
        if after is not None:
            seen[run.pk] = max(after, seen.get(run.pk, 0))
        told = self._told(tree=tree)
        try:
            if tree:
                follow_tree(run.root_id, seen, told, time.sleep)
                run.refresh_from_db()
            else:
                seq = seen.get(run.pk, 0)
                run = follow(run.pk, self.note, lambda _run_id, rest: time.sleep(rest), None, seen=seq, told=told)
        except Run.DoesNotExist:  # deleted meanwhile
            raise UnknownRun(run.pk) from None
        except KeyboardInterrupt:
            self.note(f"No longer following; run {run.pk} goes on, and tailrun shows it again.")
            raise
        self.note(status_words(run))
        return DONE

    def _told(self, *, tree: bool) -> Said:
        def told(run_id: str, entry: Entry) -> None:
            if self.json:
                self.answer({"run": run_id, **entry.as_dict()})
            else:
                self.tell(f"{run_id[-6:]} {line(entry)}" if tree else line(entry))

        return told
