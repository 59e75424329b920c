"""`manage.py importrun`: read-only copies of the runs of a file."""

from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandParser

from runs.commands.attending import page_of
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.progress import Progress
from runs.errors import BadInput
from runs.portable import Imported, import_file


class Command(RunCommand):
    help = (
        "Makes read-only copies of the runs of a file that exportrun has written. A copy keeps its id, opens on the "
        "pages, can be verified, exported and forked; nobody ever claims, wakes, signals, cancels or retries it. The "
        "same file again changes nothing. A file is written in one transaction, for which others wait on SQLite."
    )
    exits = f"Exit codes: 0 imported, or here already; 2 the file was refused, and nothing was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="one that exportrun has written")
        parser.add_argument(
            "--owner", metavar="USER", help="whose copies they are; without, only who may view all runs"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="look at the file and say what is in it; change nothing"
        )

    def act(self, options: dict[str, Any]) -> int:
        path, dry_run = Path(options["file"]), options["dry_run"]
        if not path.is_file():
            raise BadInput(f"there is no file {options['file']!r}; name one that exportrun has written")
        owner = _user(options["owner"])
        progress = Progress(self.stderr, path.stat().st_size * (1 if dry_run else 2))
        try:
            made = import_file(path, owner=owner, dry_run=dry_run, told=progress.advance)
        finally:
            progress.end()
        if self.json:
            self.answer(made.as_dict() | {"dryRun": dry_run})
        self.tell(made.root)
        if not self.json:
            self.note(_said(made, dry_run=dry_run), *([page_of(made.root)] if made.created and not dry_run else []))
        return DONE


def _said(made: Imported, *, dry_run: bool) -> str:
    what = f"{made.runs:,} runs with {made.entries:,} entries"
    missing = f"; redacted: {', '.join(made.redacted)}" if made.redacted else ""
    if not made.created:
        return f"This file was imported before: its {what} are here, and nothing was changed{missing}"
    return f"{what} {'would be imported' if dry_run else 'imported, as copies that are only read'}{missing}"


def _user(name: str | None) -> Any:
    if name is None:
        return None
    users = get_user_model().objects
    user = users.filter(username=name).first()
    if user is None:
        raise BadInput(f"there is no user {name!r}; manage.py createsuperuser makes one")
    return user
