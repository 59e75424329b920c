"""What `retryrun` and `forkrun` share: options, and printing what was done or would be."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from runs.audit import record_again
from runs.commands.reading import script
from runs.models import Run
from runs.operations import Done
from runs.operations.children import CANCEL, KEEP
from runs.operations.report import CallFacts, DryReplay
from runs.operations.telling import TITLES, call_words, fate, stands

_SHOWN = 20


def add_options(parser: CommandParser) -> None:
    add = parser.add_argument
    add("run", metavar="ID", help="the run's id, or as much of its beginning as only it has")
    add("--source", metavar="FILE", help="go on with this script instead of the run's own; - reads standard input")
    add("--children", choices=[KEEP, CANCEL], help="what becomes of live children whose calls are made again")
    add("--reason", default="", help="why; it stands in the log of what was done to the run")
    add(
        "--dry-run",
        action="store_true",
        help="show what would be reused, executed anew and left behind; change nothing",
    )


def fields_of(run: Run, options: dict[str, Any]) -> dict[str, Any]:
    """Arguments of the operations on that run; raises `Refused` for a script that cannot be read."""
    source = None if options["source"] is None else script(options["source"])
    call, edited = options["call"] or options.get("rewind"), source is not None
    told = partial(record_again, None, run, reason=options["reason"], call=call, edited=edited)
    return {"source": source, "children": options["children"], "dry_run": options["dry_run"], "also": told}


def lines(done: Done) -> Iterator[str]:
    """The dry replay for people: the three lists, and where the script stands."""
    if done.replay is None:
        yield "the whole run is executed again"
        return
    for name, title in TITLES.items():
        calls: list[CallFacts] = getattr(done.replay, name)
        yield f"{title}: {len(calls) or 'none'}"
        yield from (f"  {_call(call, name, done.replay)}" for call in calls[:_SHOWN])
        if len(calls) > _SHOWN:
            yield f"  and {len(calls) - _SHOWN} more (--json lists all)"
    if done.live_children:
        yield f"Live children of calls that are made again: {', '.join(done.live_children)}"
    yield stands(done.replay)


def _call(call: CallFacts, name: str, replay: DryReplay) -> str:
    more = fate(call, name, replay)
    return f"call {call.call_seq}, line {call.line}: {call_words(call)}{f'; {more}' if more else ''}"
