"""The options of `startrun`, and what they say of the run to start."""

import json
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from runs import audit, library
from runs.commands import reading
from runs.errors import BadInput
from runs.models import Run
from runs.starting import TITLE_MAX, Started
from runs.tools import ToolError, to_json


def add_options(parser: CommandParser) -> None:
    queues = ", ".join(Run.Queue.values)
    add = parser.add_argument
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("file", metavar="FILE", nargs="?", help="the script, UTF-8; - reads it from standard input")
    what.add_argument("--script", metavar="NAME[@VERSION]", help="a script of the library instead; see savescript")
    add("--input", metavar="JSON|@FILE", help="the run's input (default: null); @- reads it from standard input")
    add(
        "--title",
        default="",
        help="what people see of the run (default: the name of the script; at most 200 characters)",
    )
    add("--queue", default=Run.Queue.INTERACTIVE.value, help=f"one of {queues} (default: {Run.Queue.INTERACTIVE})")
    add("--key", help="an idempotency key: the same again shows the first run and starts nothing")
    add("--concurrency-key", metavar="K", help="wait in the queue while --limit runs of the same key are running")
    add("--limit", type=int, metavar="N", help="how many runs of the concurrency key may be running (default: 1)")
    add(
        "--max-attempts",
        type=int,
        default=1,
        metavar="N",
        help="try a retryable failure again until attempt N (default: 1)",
    )
    add(
        "--wait",
        nargs="?",
        type=_wait,
        const=None,
        default=False,
        metavar="SECONDS",
        help="follow the journal on standard error until the run has ended, at most SECONDS; write it after FILE",
    )
    add(
        "--inline",
        action="store_true",
        help="execute the run in this process, without workers, parks included; Ctrl-C hands it back to the queue",
    )


def fields_of(options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `runs.starting.start`; raises `BadInput`."""
    if options["file"] == reading.STDIN and options["input"] == f"@{reading.STDIN}":
        raise BadInput("standard input cannot be both the script and the input; give one of them as a file")
    fields = {name: options[name] for name in ("title", "queue", "key", "max_attempts")}
    fields |= {"concurrency_key": options["concurrency_key"], "concurrency_limit": options["limit"]}
    return fields | {"input": reading.json_value(options["input"]), "origin": "startrun", "also": _recorded}


def source_of(options: dict[str, Any], fields: dict[str, Any]) -> tuple[str, str]:
    """The script and what to call it in messages; `fields` learns of its name and of the library's version."""
    if options["script"] is None:
        fields |= {"title": fields["title"] or _named(options["file"])}
        return reading.script(options["file"]), options["file"]
    version = library.find(options["script"])
    fields |= {"script_version": version, "title": fields["title"] or version.script.name}
    return version.source.text, str(version)


def _recorded(started: Started) -> None:
    version = started.run.script_version
    audit.record(None, started.run, "start", **({"script": str(version)} if version else {}))


def _named(file: str) -> str:
    """What a list shows of a run that got no title; nothing where the file has no name that a title can be."""
    stem = Path(file).stem
    return stem[:TITLE_MAX] if file != reading.STDIN and stem.isprintable() else ""


def differs(run: Run, source: str, fields: dict[str, Any]) -> list[str]:
    """What of `source`, `input` and `title` is not as in the run that the key has started before."""
    same = {
        "source": run.source is not None and run.source.text == source,
        "input": _canonical(run.input) == _canonical(fields["input"]),
        "title": run.title == fields["title"],
    }
    return [name for name, is_same in same.items() if not is_same]


def _canonical(value: Any) -> str | None:
    try:
        return json.dumps(to_json(value), sort_keys=True)
    except ToolError:  # no run can have it as its input
        return None


def _wait(text: str) -> float:
    try:
        return reading.seconds(text)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error}; write FILE before it") from None
