"""The dry replay of a run on the database: reads, replays in memory, and says what it comes to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from journal import bodies, store
from journal.bodies import Body
from journal.entries import Entry
from runs import replayable
from runs.effects.children import prepare_child
from runs.errors import NotPossible
from runs.host import SystemClock
from runs.host.memory import MemoryJournal
from runs.host.rehearsal import Rehearsal, Stood, Unplayable
from runs.lifecycle import Status
from runs.models import Run
from runs.operations import apart
from runs.operations.changes import Changes, changes_of, still_good
from runs.operations.cutting import Cut
from runs.operations.report import DryReplay, report_of
from runs.starting import check_source
from runs.workers.limits import host_limits

Cutter = Callable[[Sequence[Entry]], Cut]


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """`notice` is the entry that tells of the operation; it is written before all else."""

    source: str
    cut: Cut
    stood: Stood
    changes: Changes
    report: DryReplay
    notice: Body

    def remade(self) -> set[int]:
        """The callSeqs that have no entry any more."""
        return set(self.stood.leftovers.unasked) | self.cut.rewound

    def still_open(self) -> list[Entry]:
        """The entries of delegates that were made before, and that the script still waits for."""
        opened = set(self.stood.leftovers.open)
        first = {entry.call_seq: entry for entry in reversed(self.cut.kept)}
        return [e for seq, e in first.items() if seq in opened and e.body.get("childRunId")]


def rehearse(
    run: Run,
    cutter: Cutter,
    told: str,
    *,
    source: str | None = None,
    fork_id: str | None = None,
    watch: Callable[[Rehearsal], None] | None = None,
) -> Rehearsed:
    """Raises `BadSource` for a source that does not pass the lint, `NotPossible` for one that does not come to a stand.

    A fork has an id of its own and gives its callSeqs out anew. `watch` is a worker's: the replay that it is given is
    then its watchdog's to end.
    """
    if source is not None:
        check_source(source)
    assert run.source is not None
    text = run.source.text if source is None else source
    entries = replayable.read(run.journal_id)
    cut = cutter(entries)
    last = max((e.call_seq for e in cut.kept), default=0) if fork_id else store.last_call_seq(run.journal_id)
    number, fence = (1, 1) if fork_id else (run.attempt + 1, _first_fence(run))
    notice = bodies.attempt(number, told, last, fence=fence)
    clock = SystemClock()
    rehearsal = Rehearsal(
        run_id=fork_id or run.pk,
        source=text,
        input=run.input,
        journal=MemoryJournal([*cut.kept, Entry.of(2**31 - 1, clock.now(), notice)]),
        prepare=prepare_child,
        clock=clock,
        limits=host_limits(run),
    )
    try:
        if watch is None:
            stood = apart.stand(rehearsal)
        else:
            watch(rehearsal)
            stood = rehearsal.stand()
    except Unplayable as stopped:
        error = stopped.ending.error if hasattr(stopped.ending, "error") else {}
        raise NotPossible(
            f"the script cannot be replayed against its journal: {error.get('code')}: {error.get('message')}"
            " Give a source that is mended."
        ) from None
    kept = [] if fork_id else still_good(cut, stood)
    notice |= {"kept": kept}
    return Rehearsed(text, cut, stood, changes_of(cut, stood), report_of(entries, cut, stood, kept), notice)


def _first_fence(run: Run) -> int:
    """Of the claim that begins the attempt: the operation takes one and the claim another, unless its worker has it."""
    return run.fence if run.status == Status.RUNNING else run.fence + 2
