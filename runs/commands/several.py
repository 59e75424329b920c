"""What commands share that go through many runs and can be interrupted: which runs, how many, and after which."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import islice
from typing import Any

from runs.commands.lookup import run_of
from runs.commands.reading import whole_number
from runs.errors import BadInput
from runs.ids import is_id
from runs.operations import verifying

SHOWN = 1_000  # findings of one --json object; all are counted


def add_options(parser: ArgumentParser, *, live: bool) -> None:
    add = parser.add_argument
    add("id", metavar="ID", nargs="?", help="one run: its id, or as much of its beginning as only it has")
    add("--all", action="store_true", help="all runs, in order of their ids")
    if live:
        add("--live", action="store_true", help="those that are queued, running or waiting")
    add("--after", metavar="ID", default="", help="go on after that run, the last one that an earlier go has told")
    add("--limit", type=whole_number, metavar="N", help="at most so many runs")


def ids_of(options: dict[str, Any]) -> Iterator[str]:
    """The ids, in order. Raises `BadInput` unless exactly one of ID, --all and --live is given."""
    live = bool(options.get("live"))
    if sum((options["id"] is not None, options["all"], live)) != 1:
        raise BadInput(f"name one run, or give --all{' or --live' if 'live' in options else ''}")
    after = options["after"]
    if after and not is_id(after):
        raise BadInput(f"--after takes the whole id of a run, not {after!r}")
    found = iter([run_of(options["id"]).pk]) if options["id"] is not None else verifying.ids(after, live=live)
    return islice(found, options["limit"])


def chunks(ids: Iterator[str], size: int) -> Iterator[list[str]]:
    """Lists of so many, the last one shorter."""
    while chunk := list(islice(ids, size)):
        yield chunk
