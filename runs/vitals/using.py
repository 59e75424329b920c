"""How much each tool and agent is used, and how often it fails: counted over the newest runs, as far as time allows.

Nothing keeps counters (see `runs.finding`), so this reads journals, and says how far it has looked.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from django.db.models import Q

from journal.entries import Kind
from journal.models import RunJournal
from runs.access import Person
from runs.finding import Asked
from runs.finding.paging import seen_by
from runs.finding.window import window
from runs.lifecycle import Status
from runs.models import Run
from runs.reading.calls import CtxCall, ctx_calls

SECONDS = 0.6
RUNS = 2_000
_BATCH = 50  # runs whose journals are read at once,
_BATCH_BYTES = 4 * 1024 * 1024  # or so many as have so many bytes
_OF_CALLS = Q(kind__in=(Kind.CALL, Kind.RESULT, Kind.TIMER, Kind.FIRED)) | Q(call_seq=0)


@dataclass(slots=True)
class Use:
    """`calls` of one tool or agent: `failed` in the end, still `out`, tried `again` at least once; `codes` of the
    errors by number."""

    calls: int = 0
    failed: int = 0
    out: int = 0
    again: int = 0
    codes: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """The share of those that have ended which failed, 0 to 1."""
        ended = self.calls - self.out
        return self.failed / ended if ended else 0.0


@dataclass(slots=True)
class Usage:
    """By name. `runs` looked at, made `since`; `complete` where there are no others. What the runs called that were
    copied from elsewhere is not counted."""

    tools: dict[str, Use] = field(default_factory=dict)
    agents: dict[str, Use] = field(default_factory=dict)
    runs: int = 0
    since: datetime | None = None
    complete: bool = False


def usage(user: Person, *, most: int = RUNS, seconds: float = SECONDS) -> Usage:
    """Over the newest runs that the user may see; at least one batch of them, however long that takes."""
    asked, until = seen_by(user, Asked()), time.monotonic() + seconds
    found, before = Usage(), ""
    while found.runs < most:
        batch, all_read = _batch(asked, before, min(_BATCH, most - found.runs))
        for call in _calls([row.pk for row in batch if row.status != Status.IMPORTED]):
            _count(found, call)
        found.runs += len(batch)
        if batch:
            before, found.since = batch[-1].pk, batch[-1].created_at
        if all_read:
            found.complete = True
            break
        if time.monotonic() >= until:
            break
    return found


class _Row(NamedTuple):
    pk: str
    created_at: datetime
    status: str
    journal__bytes: int


def _batch(asked: Asked, before: str, size: int) -> tuple[list[_Row], bool]:
    """The next runs, and whether they are the last."""
    looking = window(Run.objects.all(), asked, before=before)
    batch: list[_Row] = []
    held = 0
    rows = [_Row(*row) for row in looking.runs.values_list(*_Row._fields)[: size + 1]]
    for row in rows[:size]:
        batch.append(row)
        held += row.journal__bytes
        if held >= _BATCH_BYTES:
            break
    return batch, len(batch) == len(rows) and not looking.floor


def _calls(batch: Sequence[str]) -> list[CtxCall]:
    entries = RunJournal.objects.filter(_OF_CALLS, run_id__in=batch).order_by("run_id", "seq")
    return [call for _, of_run in groupby(entries, key=lambda entry: entry.run_id) for call in ctx_calls(of_run)]


def _count(found: Usage, call: CtxCall) -> None:
    """What a call came to last counts, also where an attempt has left it behind: it has happened."""
    if call.op not in ("tool", "agent") or not (name := call.asked.get(call.op)):
        return  # a sleep, or a child that is a script
    use = (found.tools if call.op == "tool" else found.agents).setdefault(name, Use())
    use.calls += 1
    use.again += len(call.attempts) > 1 or call.attempts[-1].number > 1
    told = [attempt for attempt in call.attempts if attempt.status]
    if not told or call.status == "pausing":
        use.out += 1
    elif told[-1].status == "failed":
        use.failed += 1
        use.codes[str((told[-1].value or {}).get("code", "unknown"))] += 1
