"""The tab of a run's activity: the entries of its journal as rows, and among them what operators have done to it."""

import json
from datetime import UTC, datetime
from typing import Any

from django.http import QueryDict

from journal.models import RunJournal
from runs import audit
from runs.models import Run
from runs.pages.query import number
from runs.reading.cutting import printable
from runs.reading.rows import FILTERS, entry_row
from runs.times import from_ms, to_ms

ROWS = 200  # entries at once; the page holds more only as they come in
IN_COLUMNS = {"kind", "callSeq", "key", "seq", "at"}
OPERATORS = "operators"  # the filter that shows their deeds alone


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
    if before >= run.journal.next_seq:
        before = 0  # these are the newest ones, and go on as they come
    if before:
        found = found.filter(seq__lt=before)
    if group == OPERATORS:
        found = found.none()
    rows = [activity_row(entry) for entry in found.order_by("-seq")[: ROWS + 1]]
    older = len(rows) > ROWS
    rows = rows[:ROWS]
    newest = max([run.journal.next_seq - 1, *(row["seq"] for row in rows[:1])])  # one may have come in between
    older_before = rows[-1]["seq"] if older else None
    if group in ("", OPERATORS):
        rows = _with_deeds(run, rows, before, older)
    return {
        "rows": rows[::-1] if oldest_first else rows,
        "older_before": older_before,
        "last_seq": newest if not before else 0,
        "past": bool(before),
        "group": group,
        "filters": [("", "All"), *((name, title) for name, (title, _) in FILTERS.items()), (OPERATORS, "Operators")],
        "oldest_first": oldest_first,
        "blank": BLANK,
    }


def activity_row(entry: RunJournal) -> dict[str, Any]:
    """The row with what the page shows of it: its moment, the script's line, and the other fields as text."""
    row = entry_row(entry)
    rest = {name: value for name, value in row["body"].items() if name not in IN_COLUMNS}
    text = json.dumps(rest, indent=2, ensure_ascii=False) if rest else ""
    more = {"moment": from_ms(row["at"]), "script_line": row["body"].get("line") or 0, "text": text}
    return row | more | {"cut": list(row["cut"].items())}


def _with_deeds(run: Run, rows: list[dict[str, Any]], before: int, older: bool) -> list[dict[str, Any]]:
    """The rows, the newest first, and between them the deeds of their time: each deed is on one page alone."""
    least = rows[-1]["at"] if older else 0
    bound = RunJournal.objects.filter(run_id=run.journal_id, seq__gte=before).order_by("seq") if before else None
    most = None if bound is None else bound.values_list("at", flat=True).first()
    merged = list(rows)
    for deed in audit.deeds(run):
        at = to_ms(deed.at)
        if at < least or (most is not None and at >= most):
            continue
        place = next((n for n, row in enumerate(merged) if row["at"] <= at), len(merged))
        near = merged[place - 1] if place else merged[0] if merged else None
        merged.insert(place, _deed_row(deed, at, near["seq"] if near else 0))
    return merged


def _deed_row(deed: audit.Deed, at: int, seq: int) -> dict[str, Any]:
    """`seq`: of the entry beside it, where the page goes on once it has to let rows go."""
    text = json.dumps(deed.facts, indent=2, ensure_ascii=False) if deed.facts else ""
    return {"deed": deed, "seq": seq, "at": at, "moment": deed.at, "line": printable(deed.words), "text": text}


# What the page's <template> is made of: the markup of a row, to be filled with text by the browser.
BLANK: dict[str, Any] = {
    "seq": "", "callSeq": 0, "kind": "", "group": "", "tone": "", "line": "", "superseded": None, "cut": [],
    "moment": datetime.fromtimestamp(0, UTC), "script_line": 0, "text": "",
}  # fmt: skip
