"""What the machine keeps of a run, for who operates it: who holds it, its limits, inbox, attempts and chain."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from journal import codec
from journal.models import RunJournal
from runs.activity import one_line
from runs.models import Message, Run
from runs.reading.cutting import Shown, printable, shown
from runs.reading.tree import FIELDS
from runs.times import from_ms
from runs.workers.limits import host_limits

NEWEST = 50
_WORDS = 300


@dataclass(frozen=True, slots=True)
class Use:
    """So much of a limit is used; `unit` is entries, bytes or ms."""

    name: str
    used: float
    most: float
    unit: str

    @property
    def percent(self) -> int:
        return min(100, int(100 * self.used / self.most))


@dataclass(frozen=True, slots=True)
class Attempt:
    """`number` of the run began at that moment; `words` say why, "" for the first."""

    number: int
    began: datetime
    words: str = ""


@dataclass(frozen=True, slots=True)
class Received:
    """A message of the inbox: a signal, or the answer of a child to `call_seq`. `taken` is the entry that it became,
    None while it is kept."""

    kind: str
    name: str
    sender: str
    sent: datetime
    payload: Shown
    dedup_id: str
    wait_id: str
    call_seq: int | None
    taken: int | None


def uses(run: Run) -> list[Use]:
    """The journal and the processor time against their caps; needs `run.journal`."""
    journal, limits = run.journal, host_limits(run)
    return [
        Use("Entries of the journal", journal.next_seq - 1, limits.journal_max_entries, "entries"),
        Use("Size of the journal", journal.bytes, limits.journal_max_bytes, "bytes"),
        Use("CPU", round(journal.cpu_ms), limits.cpu_ms, "ms"),
    ]


def attempts(run: Run) -> list[Attempt]:
    """The newest 50 attempts of the run as a whole, the newest first. One query."""
    rows = RunJournal.objects.filter(run_id=run.journal_id, call_seq=0).order_by("-seq").values_list("at", "entry")
    found: list[Attempt] = []
    for at, data in rows.iterator(chunk_size=1000):
        body = codec.decode(data)
        if "attempt" in body:
            found.append(Attempt(body["attempt"], from_ms(at), one_line(printable(body.get("message", "")), _WORDS)))
        if len(found) == NEWEST:
            return found
    return [*found, Attempt(1, run.started_at)] if run.started_at else found


def inbox(run: Run) -> list[Received]:
    """The newest 50 messages that the run was sent, the newest first. One query."""
    rows = Message.objects.filter(run_id=run.pk).select_related("sender").order_by("-pk")[:NEWEST]
    return [_received(row) for row in rows]


def chain(run: Run, sees: Callable[[Run], bool]) -> list[Run]:
    """The newest 50 runs of the chain of successors that the run is in, the newest first; [] for one that is alone."""
    found = Run.objects.only(*FIELDS, "successor").filter(root_id=run.root_id, chain=run.chain).order_by("-pk")[:NEWEST]
    runs = [other for other in found if sees(other)]
    return runs if len(runs) > 1 else []


def _received(row: Message) -> Received:
    payload: Any = row.payload
    return Received(
        row.kind,
        row.name,
        row.sender.get_username() if row.sender else "",
        row.created_at,
        shown(payload, 2_000),
        row.dedup_id or "",
        row.wait_id,
        row.call_seq,
        row.taken_seq,
    )
