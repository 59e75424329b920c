"""One run: its plan, input, output, error and journal. Read only."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from journal import codec
from journal.models import RunJournal
from runs.access import visible_runs
from runs.activity import story
from runs.commands.facts import help_of
from runs.lifecycle import Status
from runs.models import Run
from runs.words import MARKS, status_words

ENTRIES = 500
# An entry's fields that the page shows in columns of their own, or that only replay needs.
IN_COLUMNS = {"kind", "callSeq", "key", "seq", "at"}
STEP_MARKS = {"pending": "○", "running": "▶", "done": "✓", "failed": "✕", "skipped": "-"}
# Of an id: the time, and enough of the rest that showrun knows which run is meant.
SHORT_ID = 14


@login_required
def run_detail(request: HttpRequest, run_id: str) -> HttpResponse:
    """One run: where it stands in words, its values, and the newest entries of its journal."""
    run = get_object_or_404(visible_runs(request.user).select_related("owner"), pk=run_id)
    values = [(name, as_json(value)) for name, value in _values(run)]
    entries = RunJournal.objects.filter(run_id=run.journal_id).order_by("-seq")[: ENTRIES + 1]
    lines = [entry_line(entry) for entry in entries]
    return render(
        request,
        "runs/detail.html",
        {
            **summary(run),
            "progress": progress_line(run.progress),
            "error": error_facts(run.error),
            "plan": plan_lines(run.plan),
            "values": values,
            "lines": lines[:ENTRIES],
            "older": len(lines) > ENTRIES,
            "shown": ENTRIES,
        },
    )


def summary(run: Run) -> dict[str, Any]:
    """What both pages say of a run: the row, its short id, its status as a mark and in words."""
    mark = MARKS.get(run.status, "?")
    return {"run": run, "short_id": run.pk[:SHORT_ID], "mark": mark, "words": status_words(run)}


def progress_line(progress: dict[str, Any] | None) -> dict[str, Any] | None:
    """The last progress for the page: label, and percent (None where it has no fraction)."""
    if not progress:
        return None
    fraction = progress.get("fraction")
    percent = None if fraction is None else f"{fraction * 100:.0f}"
    return {"label": printable(progress.get("label") or ""), "percent": percent}


def error_facts(error: dict[str, Any] | None) -> dict[str, Any] | None:
    """The error for the page, as showrun has it: code, message, help, excerpt or line, call, and all of it as JSON."""
    if error is None:
        return None
    message, advice = str(error.get("message", "")), help_of(error)
    line = error.get("line")
    return {
        "code": printable(error.get("code", "")),
        "message": printable(message),
        "help": advice if advice and advice not in message else "",
        "excerpt": printable(error.get("excerpt") or (f"line {line}" if line else "")),
        "tool": printable(error.get("tool") or ""),
        "call_seq": error.get("callSeq"),
        "rest": as_json(error),
    }


def plan_lines(plan: Any) -> dict[str, Any] | None:
    """The checklist for the page: title, and label, status and mark of each step."""
    if not plan:
        return None
    steps = [
        {name: printable(step.get(name) or "") for name in ("label", "status")}
        | {"mark": STEP_MARKS.get(step.get("status"), "?")}
        for step in plan["steps"]
    ]
    return {"title": printable(plan.get("title") or ""), "steps": steps}


def _values(run: Run) -> Iterator[tuple[str, Any]]:
    yield "Input", run.input
    if run.status == Status.SUCCEEDED:
        yield "Output", run.output


def entry_line(row: RunJournal) -> dict[str, Any]:
    """One entry for the page: seq, call, kind, time, what happened in a line, and the rest of its fields as JSON."""
    body = codec.decode(row.entry)
    rest = {name: value for name, value in body.items() if name not in IN_COLUMNS}
    return {
        "seq": row.seq,
        "call_seq": row.call_seq,
        "kind": row.kind,
        "at": datetime.fromtimestamp(row.at / 1000, UTC),
        "superseded": row.superseded_by is not None,
        "story": printable(story(body)),
        "rest": as_json(rest) if rest else "",
    }


def as_json(value: Any) -> str:
    """A JSON value as a person reads it."""
    return printable(json.dumps(value, indent=2, ensure_ascii=False))


def printable(text: Any) -> str:
    """The text with each lone surrogate, which JavaScript strings may hold and no page can, written as `\\udXXX`."""
    return str(text).encode("utf-8", "backslashreplace").decode()
