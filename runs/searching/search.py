"""The search: run by run, newest first, until a page is full or the time is over."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from journal.models import RunJournal
from runs.access import Person
from runs.errors import BadInput
from runs.finding import Asked, rows
from runs.finding.paging import seen_by
from runs.finding.window import window
from runs.models import Run
from runs.reading.calls import ctx_calls
from runs.searching.bytes import holding
from runs.searching.effects import PLACES, STATUSES, Effects, traces
from runs.searching.matching import Match, match_of

PAGE = 50
SECONDS = 0.8
OF_ONE_RUN = 20
_BATCH = 500  # runs whose journals are looked into at once,
_BATCH_BYTES = 8 * 1024 * 1024  # or so many as have so many bytes
_JUDGED = 20  # runs whose calls are decoded at once
_EVERY_RUN = Asked()


@dataclass(slots=True)
class Found:
    """`matches`, those of the newest run first, at most 20 of one run: `more` says of how many others by the id of the
    run. `older`: the id that the search goes on before, "" where all has been looked into; `searched_to` the creation
    of that run; `looked_at` the number of runs."""

    matches: list[Match] = field(default_factory=list)
    more: dict[str, int] = field(default_factory=dict)
    older: str = ""
    searched_to: datetime | None = None
    looked_at: int = 0

    @property
    def partial(self) -> bool:
        return bool(self.older)


def search(
    user: Person,
    effects: Effects,
    asked: Asked = _EVERY_RUN,
    *,
    before: str = "",
    size: int = PAGE,
    seconds: float = SECONDS,
) -> Found:
    """The calls of those runs of `asked` that the user may see. It stops when a page is full or the time is over, but
    never within a run. Raises `BadInput` where nothing is looked for, or something that there is not."""
    _check(effects)
    asked, until = seen_by(user, asked), time.monotonic() + seconds
    found = Found(older=before)
    while True:
        batch, found.older = _batch(asked, found.older)
        if _look(found, batch, effects, size, until):
            break
        if not found.older:
            return found
        if time.monotonic() >= until:
            break
    found.searched_to = Run.objects.values_list("created_at", flat=True).filter(pk=found.older).first()
    return found


def _batch(asked: Asked, before: str) -> tuple[list[str], str]:
    """The ids of the next runs, and the one that the batch behind them comes before; "" where there is none."""
    looking = window(Run.objects.all(), asked, before=before)
    ids: list[str] = []
    size = 0
    for pk, journal in looking.runs.values_list("pk", "journal__bytes")[:_BATCH]:
        ids.append(pk)
        size += journal
        if size >= _BATCH_BYTES:
            return ids, pk
    return ids, ids[-1] if len(ids) == _BATCH else looking.floor


def _look(found: Found, batch: list[str], effects: Effects, size: int, until: float) -> bool:
    """Add the matches of these runs; True, and `older` set to where it stopped, when that is enough for now."""
    calls = _suspects(batch, effects)
    runs = sorted(calls, reverse=True)
    for at in range(0, len(runs), _JUDGED):
        chosen = runs[at : at + _JUDGED]
        for run, matches in _judged({pk: calls[pk] for pk in chosen}, effects):
            found.matches += matches[:OF_ONE_RUN]
            if len(matches) > OF_ONE_RUN:
                found.more[run.pk] = len(matches) - OF_ONE_RUN
            if len(found.matches) >= size and (run.pk != batch[-1] or found.older):
                found.looked_at += batch.index(run.pk) + 1
                found.older = run.pk
                return True
        if time.monotonic() >= until and chosen[-1] != runs[-1]:
            found.looked_at += batch.index(chosen[-1]) + 1
            found.older = chosen[-1]
            return True
    found.looked_at += len(batch)
    return False


def _suspects(batch: Sequence[str], effects: Effects) -> dict[str, set[int]]:
    """By run the calls that have left every trace of what is looked for."""
    suspects: set[tuple[str, int]] | None = None
    for kinds, held in traces(effects):
        entries = RunJournal.objects.filter(run_id__in=batch, kind__in=kinds, call_seq__gt=0).filter(holding(held))
        pairs = set(entries.values_list("run_id", "call_seq"))
        suspects = pairs if suspects is None else suspects & pairs
        if not suspects:
            return {}
    calls: dict[str, set[int]] = {}
    for run_id, call_seq in suspects or ():
        calls.setdefault(run_id, set()).add(call_seq)
    return calls


def _judged(calls: dict[str, set[int]], effects: Effects) -> Iterator[tuple[Run, list[Match]]]:
    """The newest run first."""
    runs = rows().in_bulk(list(calls))
    seqs = {0}.union(*calls.values())
    entries = RunJournal.objects.filter(run_id__in=list(calls), call_seq__in=seqs).order_by("-run_id", "seq")
    for run_id, of_run in groupby(entries, key=lambda entry: entry.run_id):
        if (run := runs.get(run_id)) is None:  # deleted meanwhile
            continue
        told = ctx_calls(entry for entry in of_run if entry.call_seq == 0 or entry.call_seq in calls[run_id])
        matches = (match_of(run, call, effects) for call in told if call.op in ("tool", "agent"))
        yield run, [match for match in matches if match is not None]


def _check(effects: Effects) -> None:
    if not effects:
        raise BadInput("say what the call is to have: a tool, a narration, a status, a text or a value")
    if effects.status and effects.status not in STATUSES:
        raise BadInput(f"there is no status {effects.status!r} of a call; there are {', '.join(STATUSES)}")
    if effects.where not in PLACES:
        raise BadInput(f"a text or value is looked for in {', '.join(PLACES)}, not in {effects.where!r}")
