"""What the tabs of a run's page show. Each takes the run and what the address asks for, and reads what it shows."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.http import Http404, QueryDict
from django.utils import timezone

from journal.entries import Kind
from journal.models import RunJournal
from runs.lifecycle import Status
from runs.models import Run
from runs.pages import drawing
from runs.reading import calls as reading
from runs.reading import source
from runs.reading.cutting import shown
from runs.reading.errors import error_facts
from runs.reading.rows import FILTERS, entry_row
from runs.reading.timeline import timeline
from runs.reading.tree import FIELDS
from runs.reading.waiting import waiting

ROWS = 200  # entries at once; the page holds more only as they come in
IN_COLUMNS = {"kind", "callSeq", "key", "seq", "at"}
ZOOMS = (1, 2, 4, 8, 16)
_GREATEST = 2**31 - 1


def activity(run: Run, asked: QueryDict) -> dict[str, Any]:
    """Rows, the newest first unless `order=oldest`: the newest ones, those before `before`, or around `at`."""
    group = asked.get("show", "")
    oldest_first = asked.get("order") == "oldest"
    before, at = number(asked, "before"), number(asked, "at")
    found = RunJournal.objects.filter(run_id=run.journal_id)
    if group in FILTERS:
        found = found.filter(kind__in=FILTERS[group][1])
    if at:
        before = at + ROWS // 2
    if before:
        found = found.filter(seq__lt=before)
    rows = [activity_row(entry) for entry in found.order_by("-seq")[: ROWS + 1]]
    older = len(rows) > ROWS
    rows = rows[:ROWS]
    newest = max([run.journal.next_seq - 1, *(row["seq"] for row in rows[:1])])  # one may have come in between
    return {
        "rows": rows[::-1] if oldest_first else rows,
        "older_before": rows[-1]["seq"] if older else None,
        "last_seq": newest if not before else 0,
        "past": bool(before),
        "group": group,
        "filters": [("", "All"), *((name, title) for name, (title, _) in FILTERS.items())],
        "oldest_first": oldest_first,
        "blank": BLANK,
    }


def activity_row(entry: RunJournal) -> dict[str, Any]:
    """The row with what the page shows of it: its moment, the script's line, and the other fields as text."""
    row = entry_row(entry)
    rest = {name: value for name, value in row["body"].items() if name not in IN_COLUMNS}
    text = json.dumps(rest, indent=2, ensure_ascii=False) if rest else ""
    more = {"moment": moment_of(row["at"]), "script_line": row["body"].get("line") or 0, "text": text}
    return row | more | {"cut": list(row["cut"].items())}


# What the page's <template> is made of: the markup of a row, to be filled with text by the browser.
BLANK: dict[str, Any] = {
    "seq": "", "callSeq": 0, "kind": "", "group": "", "tone": "", "line": "", "superseded": None, "cut": [],
    "moment": datetime.fromtimestamp(0, UTC), "script_line": 0, "text": "",
}  # fmt: skip


def calls(run: Run, asked: QueryDict) -> dict[str, Any]:
    """The calls of tools and children, the newest first; `call` opens one."""
    opened, before = number(asked, "call"), number(asked, "before")
    if opened and not before:
        before = opened + reading.NEWEST // 2
    found = reading.newest(run.journal_id, before)
    older = len(found) > reading.NEWEST
    found = found[-reading.NEWEST :][::-1]
    one = next((call for call in found if call.call_seq == opened), None)
    if opened and one is None:
        one = reading.one(run.journal_id, opened)
        found = [one, *found] if one is not None else found
    return {
        "calls": [call_row(each) for each in found],
        "older_before": found[-1].call_seq if older else None,
        "past": bool(before),
        "opened": opened if one is not None else None,
        **(call_parts(one) if one is not None else {}),
    }


def call_row(call: reading.CtxCall) -> dict[str, Any]:
    """One line of the list of calls."""
    return {
        "call": call,
        "moment": moment_of(call.began),
        "tone": drawing.STATES.get(call.status, "running"),
        "words": drawing.call_words(call),
        "attempts": sum(attempt.left is None for attempt in call.attempts),
    }


def call_parts(call: reading.CtxCall) -> dict[str, Any]:
    """One call opened: what was asked, what came of it, and each attempt."""
    failed = call.status == "failed"
    return {
        "one": call_row(call),
        "arguments": shown(call.input),
        "script": call.asked.get("script"),
        "result": None if failed or call.ended is None or call.op == "sleep" else shown(call.value),
        "failure": error_facts(call.value) if failed else None,
        "attempts": [
            {
                "attempt": attempt,
                "began": moment_of(attempt.began),
                "took": None if attempt.ended is None else (attempt.ended - attempt.began) / 1000,
                "failure": error_facts(attempt.value) if attempt.status == "failed" else None,
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
    failing = (run.error or {}).get("line") or 0 if run.status == Status.FAILED else 0
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
    row = Run.objects.only("input", "output", "error", "status").get(pk=run.pk)
    told = [("Input", "input", shown(row.input))]
    if row.status == Status.SUCCEEDED:
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


def number(asked: QueryDict, name: str) -> int:
    """A positive number of the address, 0 where there is none."""
    text = asked.get(name, "")
    return min(int(text), _GREATEST) if text.isascii() and text.isdigit() else 0


def moment_of(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def tab_of(asked: QueryDict) -> str:
    """The tab that an address names; `?call=17` alone is of the calls."""
    name = asked.get("tab") or "activity"
    if name not in TABS:
        raise Http404(f"there is no tab {name!r}")
    return name
