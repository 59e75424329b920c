"""What the tabs of a run's page show. Each takes the run and what the address asks for, and reads what it shows."""

from collections.abc import Callable
from typing import Any

from django.http import Http404, QueryDict
from django.utils import timezone

from journal.entries import Kind
from runs.copies import standing
from runs.lifecycle import Status
from runs.models import Run
from runs.pages import drawing
from runs.pages.activity import activity
from runs.pages.query import number
from runs.reading import calls as reading
from runs.reading import source
from runs.reading.cutting import shown
from runs.reading.errors import error_facts
from runs.reading.timeline import timeline
from runs.reading.tree import FIELDS
from runs.reading.waiting import waiting
from runs.times import from_ms

ZOOMS = (1, 2, 4, 8, 16)


def calls(run: Run, asked: QueryDict) -> dict[str, Any]:
    """The calls of tools and children, the newest first; `call` opens one."""
    opened, before = number(asked, "call"), number(asked, "before")
    if opened and not before:
        before = opened + reading.NEWEST // 2
    found = reading.newest(run.journal_id, before or None)
    older = len(found) > reading.NEWEST
    found = found[-reading.NEWEST :][::-1]
    one = next((call for call in found if call.call_seq == opened), None)
    if opened and one is None:
        one = reading.one(run.journal_id, opened)
        found = [one, *found] if one is not None else found
    return {
        "calls": [call_row(each, run.is_terminal) for each in found],
        "older_before": found[-1].call_seq if older else None,
        "past": bool(before),
        "opened": opened if one is not None else None,
        **(call_parts(one, run.is_terminal) if one is not None else {}),
    }


def call_row(call: reading.CtxCall, over: bool) -> dict[str, Any]:
    """One line of the list of calls; `over`: the run has ended."""
    return {
        "call": call,
        "moment": from_ms(call.began),
        "tone": drawing.call_state(call, over),
        "words": drawing.call_words(call, over),
        "attempts": sum(attempt.left is None for attempt in call.attempts),
    }


def call_parts(call: reading.CtxCall, over: bool) -> dict[str, Any]:
    """One call opened: what was asked, what came of it, and each attempt."""
    failed = call.status == "failed"
    return {
        "one": call_row(call, over),
        "arguments": shown(call.input),
        "result": shown(call.value) if call.status in ("succeeded", "answered") else None,
        "failure": error_facts(call.value) if failed else None,
        "attempts": [
            {
                "attempt": attempt,
                "began": from_ms(attempt.began),
                "took": None if attempt.ended is None else (attempt.ended - attempt.began) / 1000,
                # The last one is that of the call, and stands above.
                "failure": error_facts(attempt.value)
                if attempt.status == "failed" and attempt is not call.attempts[-1]
                else None,
                "result": shown(attempt.value, 2_000) if attempt.left and attempt.status == "succeeded" else None,
            }
            for attempt in call.attempts
        ],
    }


def lines(run: Run, asked: QueryDict) -> dict[str, Any]:
    """The source with its failing line, the line where it is parked, and the calls of each line."""
    if run.source is None:
        return {"lines": []}
    parked = [(part.line, part.call_seq) for part in waiting(run).parts if part.line]
    failing = (run.error or {}).get("line") or 0 if standing(run) == Status.FAILED else 0
    made = source.lines(run.source.text, failing=failing, parked=parked, calls=source.calls_by_line(run.journal_id))
    return {"lines": made, "failing": failing, "parked": parked, "plain": len(run.source.text) > source.COLOURED_MOST}


def bars(run: Run, asked: QueryDict) -> dict[str, Any]:
    """The timeline of the newest calls, children, sleeps and waits."""
    found = reading.newest(run.journal_id, kinds=(Kind.CALL, Kind.TIMER, Kind.WAIT))
    partial = len(found) > reading.NEWEST
    children = {child.pk: child for child in Run.objects.only(*FIELDS).filter(parent_id=run.pk)}
    now = int(timezone.now().timestamp() * 1000)
    line = timeline(run, found[-reading.NEWEST :], children, now, partial=partial)
    zoom = number(asked, "zoom")
    return {
        **drawing.drawn(line),
        "partial": partial,
        "most": reading.NEWEST,
        "zoom": zoom if zoom in ZOOMS else 1,
        "zooms": ZOOMS,
    }


def values(run: Run, asked: QueryDict) -> dict[str, Any]:
    """Input, output and error as JSON."""
    row = Run.objects.only("input", "output", "error", "status", "imported").get(pk=run.pk)
    told = [("Input", "input", shown(row.input))]
    if standing(row) == Status.SUCCEEDED:
        told.append(("Output", "output", shown(row.output)))
    if row.error is not None:
        told.append(("Error", "error", shown(row.error)))
    return {"values": told}


Tab = Callable[[Run, QueryDict], dict[str, Any]]
TABS: dict[str, tuple[str, Tab]] = {
    "activity": ("Activity", activity),
    "calls": ("Tool calls", calls),
    "timeline": ("Timeline", bars),
    "source": ("Source", lines),
    "values": ("Input and output", values),
}


def tab_of(asked: QueryDict) -> str:
    """The tab that an address names; `?call=17` alone is of the calls."""
    name = asked.get("tab") or "activity"
    if name not in TABS:
        raise Http404(f"there is no tab {name!r}")
    return name
