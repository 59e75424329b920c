"""`manage.py exportrun`: a run, or its whole tree, as one file."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, BinaryIO, cast

from django.core.management.base import CommandParser

from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.files import written
from runs.commands.lookup import run_of
from runs.commands.progress import Progress
from runs.errors import BadInput
from runs.models import Run
from runs.portable.exporting import check_paths, export, ids_of
from runs.portable.readable import pieces, tree_pieces
from runs.portable.redaction import HELP, Redaction


class Command(RunCommand):
    help = (
        "Writes a run as one portable file: script, input, journal, inbox and where it stands, on any database the "
        "same bytes. importrun makes a read-only copy of it elsewhere. --json writes the readable form, which is "
        "not imported. Each run is of one moment; in a tree that is alive they are of different ones."
    )
    exits = f"Exit codes: 0 written; 2 bad usage or input, and no file was written{AWAY}"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("id", metavar="ID", help="the run's id, or as much of its beginning as only it has")
        add("--tree", action="store_true", help="the whole tree that it is in: root, children, successors")
        add("-o", "--output", metavar="FILE", help="the file, written whole or not at all; else to standard output")
        add("--force", action="store_true", help="overwrite FILE")
        add("--redact", metavar="PATH", action="append", default=[], help=HELP)
        add("--log", action="store_true", help="with what operators did to it, and why")

    def act(self, options: dict[str, Any]) -> int:
        name = options["output"]
        if name is None and not self.json and self.stdout.isatty():
            raise BadInput("the file is binary and this is a terminal: name a file with -o, or see it with --json")
        run = run_of(options["id"])
        ids = ids_of(run, tree=options["tree"])
        redaction = Redaction.of(options["redact"]) if options["redact"] else None
        if redaction is not None:
            check_paths(ids, redaction)
        progress = Progress(self.stderr, len(ids))
        out: AbstractContextManager[BinaryIO] = nullcontext(cast("BinaryIO", _Standard(self)))
        if name is not None:
            out = written(name, force=options["force"])
        try:
            with out as file:
                if self.json:
                    told = {"runs": _readable(file, ids, options, redaction, progress.advance)}
                else:
                    told = export(
                        file,
                        ids,
                        tree=options["tree"],
                        redaction=redaction,
                        deeds=options["log"],
                        told=progress.advance,
                    ).as_dict()
        finally:
            progress.end()
        if name is None:
            self.sent()
        elif self.json:
            self.answer({"file": name, **told})
        else:
            self.tell(f"{name}: {told['runs']:,} runs, {told['entries']:,} entries, {told['bytes']:,} bytes")
        return DONE


class _Standard:
    """Standard output as a file."""

    def __init__(self, command: RunCommand) -> None:
        self._command = command

    def write(self, data: bytes) -> None:
        if self._command.json:
            self._command.send_text(data.decode())
        else:
            self._command.send(data)


def _readable(
    file: BinaryIO, ids: list[str], options: dict[str, Any], redaction: Redaction | None, told: Callable[[int], None]
) -> int:
    def runs() -> Any:
        for run_id in ids:
            found = Run.objects.select_related("source", "script_version__script", "owner", "journal")
            if (run := found.filter(pk=run_id).first()) is not None:
                yield run
            told(1)

    parts = tree_pieces(runs(), redaction) if options["tree"] else pieces(next(runs()), redaction)
    write = file.write
    for piece in parts:
        write(piece.encode())
    return len(ids)
