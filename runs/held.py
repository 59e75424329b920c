"""The journal of a run that this worker holds, on the database: what the host commits, and the run's row with it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from journal import store
from journal.entries import Entry
from journal.errors import FenceLost
from runs import attempts, finishing, places, replayable
from runs.columns import error_fields
from runs.family import canceled, canceled_error, continued, ended, failed, make_children
from runs.health.signs import Sign, shown, signs_of
from runs.host import Canceled, Continued, Ending, Failed, Head, Letter, Parked, Round, Succeeded
from runs.host.ports import Work
from runs.lifecycle import Move, Status, move, touch
from runs.models import Message, Run
from runs.nudges import nudge
from runs.times import from_ms
from runs.watching import hints


class HeldRun:
    """Implements the host's `JournalPort`. Each write is one transaction and carries the fence of the claim."""

    def __init__(self, run: Run) -> None:
        self.run = run

    @cached_property
    def _mine(self) -> QuerySet[Run]:
        return Run.objects.filter(pk=self.run.pk, fence=self.run.fence)

    def read(self) -> list[Entry]:
        return replayable.read(self.run.journal_id)

    def kept(self, call_seqs: Sequence[int]) -> list[Entry]:
        return store.read_calls(self.run.journal_id, call_seqs)

    def letters(self) -> list[Letter]:
        kept = Message.objects.filter(run=self.run, taken_seq=None).order_by("pk")
        return [Letter(m.pk, m.kind, m.payload, m.name, m.wait_id, m.call_seq) for m in kept]

    def head(self) -> Head:
        """As of the claim, which loaded the row: nobody else has written since."""
        journal = self.run.journal
        return Head(journal.next_seq - 1, journal.bytes, journal.cpu_ms, self.run.fence, journal.last_call_seq)

    def commit(self, round: Round) -> None:
        signs = signs_of(entry.body for entry in round.entries)
        if not (round.ending or round.plan or round.progress or round.children or round.letters or signs):
            self._append(round.entries, round.cpu_ms)
            hints.changed(self.run.pk)
            return
        if not signs and finishing.simple(self.run, round):
            finishing.finish(self.run, round)
            hints.changed(self.run.pk)
            return
        with transaction.atomic():
            self._show(signs)
            self._write(round)
            hints.changed(self.run.pk)

    def commit_around(self, round: Round, work: Work) -> None:
        """Signs are shown behind it: the row of the run comes before that of its journal, and must not be held while
        the work is done. One that is lost with this process is still in the journal."""
        with transaction.atomic():
            self._write(round)
            entries = self._attempt(work)
            self._append(entries)
            hints.changed(self.run.pk)
        self._show(signs_of(entry.body for entry in (*round.entries, *entries)))

    def _attempt(self, work: Work) -> Sequence[Entry]:
        """Do the work in a savepoint, undone where it fails or has broken the transaction without saying so."""
        with transaction.atomic():
            ok, entries = work(None)
            if ok and connection.needs_rollback:
                entries = work("it caught a database error without a transaction.atomic() around the statement")[1]
            if not ok:
                transaction.set_rollback(True)
        return entries

    def _show(self, signs: Sign) -> None:
        """Of a run that has ended too: its late results are written after its end."""
        if signs:
            self._mine.update(**shown(signs))

    def _append(self, entries: Sequence[Entry], cpu_ms: float = 0) -> None:
        store.append(self.run.journal_id, self.run.fence, entries, cpu_ms)

    def _write(self, round: Round) -> None:
        """The run's row before its journal's, as everywhere: two orders would be a deadlock."""
        self._write_row(round)
        if round.entries or round.cpu_ms:
            self._append(round.entries, round.cpu_ms)

    def _write_row(self, round: Round) -> None:
        if round.children:
            make_children(self.run, round.children)
        for letter_id, seq in round.letters.items():
            Message.objects.filter(pk=letter_id).update(taken_seq=seq)
        changes: dict[str, Any] = {}
        if round.plan is not None:
            changes["plan"] = round.plan
        if round.progress is not None:
            changes["progress"] = round.progress
        if round.ending is not None:
            moved = self._end(round.ending, changes)
        elif changes or round.letters:  # how much its inbox holds is seen too
            moved = touch(self._mine.filter(status=Status.RUNNING), **changes)
        else:
            return
        if not moved:
            raise FenceLost(self.run.pk, self.run.fence)

    def _end(self, ending: Ending | Parked, changes: dict[str, Any]) -> int:
        again = attempts.next_at(self.run, ending.error) if isinstance(ending, Failed) else None
        goes_on = again is not None or isinstance(ending, Parked | Continued)
        if goes_on and (reason := self._cancel_reason()) is not None:
            return canceled(self.run, self._mine, canceled_error(reason), **changes)
        match ending:
            case Parked():
                return self._park(ending, changes)
            case Succeeded(output):
                return ended(self.run, self._mine, Move.SUCCEED, True, output, output=output, **changes)
            case Failed(error) if again is not None:
                return self._leave(**attempts.pause(self.run, again), **error_fields(error), **changes)
            case Failed(error):
                return failed(self.run, self._mine, error, **changes)
            case Canceled(error):
                return canceled(self.run, self._mine, error, **changes)
            case Continued(state):
                return continued(self.run, self._mine, state, **changes)

    def _park(self, parked: Parked, changes: dict[str, Any]) -> int:
        """Park, unless a letter has come that the host has not seen: then the run is queued again at once."""
        when = None if parked.wake_at is None else from_ms(parked.wake_at)
        moved = self._leave(wake_at=when, wait=parked.wait, **changes)
        if moved and parked.seen is not None:
            new = Message.objects.filter(run=self.run, taken_seq=None).exclude(pk__in=parked.seen)
            if new.exists() and move(self._mine, Move.WAKE):
                nudge()
        return moved

    def _leave(self, **changes: Any) -> int:
        return places.leave(self._mine, Move.PARK, self.run.concurrency_key, **changes)

    def _cancel_reason(self) -> str | None:
        """Why the run is to be canceled, None when it is not. Whoever cancels a running run leaves it to its holder, so
        nothing may take it out of the holder's hands without looking; the row stays locked until that is committed."""
        row = self._mine.select_for_update().filter(cancel_requested_at__isnull=False)
        return row.values_list("cancel_reason", flat=True).first()
