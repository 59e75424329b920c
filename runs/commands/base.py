"""The base of the commands about runs: exit codes, `--json`, and refusals that are messages and never tracebacks."""

import json
import os
import sys
from argparse import SUPPRESS
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError

from runs.errors import Refused, UnknownRun
from runs.models import Run

DONE, FAILED, BAD, NO_ANSWER = range(4)
EXITS = "Exit codes: 0 done; 1 the run failed or was canceled; 2 bad usage or input, and nothing was written"
AWAY = "; 3 the database does not answer, or nobody takes the output."


class _OutputLostError(Exception):
    """Standard output has failed: why, or nothing where nobody reads on, as in `showrun ID --journal | head`."""


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise _OutputLostError from None
    except OSError as error:
        raise _OutputLostError(error.strerror) from None


class RunCommand(BaseCommand):
    """A command implements `act`, which returns an exit code, and prints with `tell`, `note` and `answer`.

    Standard output carries what was asked for, standard error all else. With `--json` the former is exactly one JSON
    object: what `answer` was given, or `{"error": {code, message, ...}}`.
    """

    exits = EXITS + AWAY
    json = False

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, epilog=self.exits, **kwargs)
        parser.called_from_command_line = False  # it raises, instead of ending the process: see run_from_argv
        parser.set_defaults(json=False)
        for action in parser._actions:  # noqa: SLF001  (Django offers no way to show fewer of its own options)
            if action.dest in _DJANGOS:
                action.help = SUPPRESS
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def run_from_argv(self, argv: list[str]) -> None:
        self.json = "--json" in argv
        try:
            super().run_from_argv(argv)
        except CommandError as error:  # the parser's; Django itself ends the process for those of `handle`
            if "--traceback" in argv:
                raise
            if self.json:
                self.answer({"error": {"code": "usage", "message": str(error).removeprefix("Error: ")}})
            self.note(f"{error}\nSee manage.py {argv[1]} --help")
            sys.exit(BAD)
        except _OutputLostError as lost:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if str(lost):
                self.note(
                    f"standard output takes nothing: {lost}. What was asked for may be done; look before you repeat it"
                )
            sys.exit(NO_ANSWER)

    def handle(self, *args: Any, **options: Any) -> None:
        self.json = options["json"]
        try:
            code = self.act(options)
        except Refused as refused:
            self.fail(refused.as_dict(), self.words_of(refused, options), BAD)
        except Run.DoesNotExist:
            message = "the run was deleted meanwhile"
            self.fail({"code": UnknownRun.code, "message": message}, message, BAD)
        except (DatabaseError, InterfaceError) as error:
            message = f"the database does not answer as it should: {error}. Is it up, and migrated (manage.py migrate)?"
            self.fail({"code": "database", "message": message}, message, NO_ANSWER)
        except KeyboardInterrupt:
            self.fail({"code": "interrupted", "message": "interrupted"}, "interrupted", NO_ANSWER)
        if code:
            sys.exit(code)

    def act(self, options: dict[str, Any]) -> int:
        raise NotImplementedError

    def words_of(self, refused: Refused, options: dict[str, Any]) -> str:
        """The refusal for people."""
        return str(refused)

    def fail(self, error: dict[str, Any], words: str, code: int) -> NoReturn:
        """End with `words` on standard error, and with the error as the one JSON object where that was asked for."""
        if self.json:
            self.answer({"error": error})
        raise CommandError(_printable(words, self.stderr), returncode=code)

    def answer(self, value: dict[str, Any]) -> None:
        """The one JSON object."""
        with _told():
            self.stdout.write(json.dumps(value))
            self.stdout.flush()

    def send(self, data: bytes) -> None:
        """A part of what was asked for, where that is no text."""
        with _told():
            self._binary().write(data)

    def send_text(self, text: str) -> None:
        """The same, of text; the one JSON object may come in parts."""
        with _told():
            self.stdout.write(text, ending="")

    def sent(self) -> None:
        """The last part was."""
        with _told():
            self.stdout.flush()

    def _binary(self) -> Any:
        return getattr(self.stdout, "buffer")  # noqa: B009  (Django's wrapper passes on what it does not know)

    def tell(self, *lines: str) -> None:
        """What was asked for, for people: not with `--json`."""
        if not self.json:
            with _told():
                self._write(self.stdout, lines)

    def note(self, *lines: str) -> None:
        with suppress(OSError):  # there is nowhere left to say that
            self._write(self.stderr, lines)

    def _write(self, stream: Any, lines: Sequence[str]) -> None:
        for text in lines:
            stream.write(_printable(text, stream), lambda styled: styled)
        stream.flush()


_DJANGOS = {"version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks"}


def _printable(text: str, stream: Any) -> str:
    """What the terminal's encoding, or any, cannot write is shown as \\uXXXX."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
