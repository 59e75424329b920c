"""The journal of a run that this worker holds, on the database: what the host commits, and the run's row with it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from journal import store
from journal.entries import Entry
from journal.errors import FenceLost
from runs import attempts, places
from runs.columns import error_fields
from runs.family import canceled, canceled_error, ended, failed, make_children, succeed_with
from runs.health.signs import Sign, shown, signs_of
from runs.host import Canceled, Continued, Ending, Failed, Head, Letter, Parked, Round, Succeeded
from runs.host.ports import Work
from runs.lifecycle import Move, Status, move
from runs.models import Message, Run
from runs.nudges import nudge


class HeldRun:
    """Implements the host's `JournalPort`. Each write is one transaction and carries the fence of the claim."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._mine = Run.objects.filter(pk=run.pk, fence=run.fence)

    def read(self) -> list[Entry]:
        return store.read(self.run.journal_id, superseded=False)

    def kept(self, call_seqs: Sequence[int]) -> list[Entry]:
        return store.read_calls(self.run.journal_id, call_seqs)

    def letters(self) -> list[Letter]:
        kept = Message.objects.filter(run=self.run, taken_seq=None).order_by("pk")
        return [Letter(m.pk, m.kind, m.payload, m.name, m.wait_id, m.call_seq) for m in kept]

    def head(self) -> Head:
        """As of the claim, which loaded the row: nobody else has written since."""
        journal = self.run.journal
        return Head(journal.next_seq - 1, journal.bytes, journal.cpu_ms, journal.last_call_seq)

    def commit(self, round: Round) -> None:
        signs = signs_of(entry.body for entry in round.entries)
        if not (round.ending or round.plan or round.progress or round.children or round.letters or signs):
            self._append(round.entries, round.cpu_ms)
            return
        with transaction.atomic():
            self._show(signs)
            self._write(round)

    def commit_around(self, round: Round, work: Work) -> None:
        """Signs are shown behind it: the row of the run comes before that of its journal, and must not be held while
        the work is done. One that is lost with this process is still in the journal."""
        with transaction.atomic():
            self._write(round)
            entries = self._attempt(work)
            self._append(entries)
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
        elif changes:
            moved = self._mine.filter(status=Status.RUNNING).update(**changes)
        else:
            return
        if not moved:
            raise FenceLost(self.run.pk, self.run.fence)
        if round.ending is not None:
            places.left(self.run.concurrency_key)

    def _end(self, ending: Ending | Parked, changes: dict[str, Any]) -> int:
        if isinstance(ending, Parked | Continued) and (reason := self._cancel_reason()) is not None:
            return canceled(self.run, self._mine, canceled_error(reason), **changes)
        match ending:
            case Parked():
                return self._park(ending, changes)
            case Succeeded(output):
                return ended(self.run, self._mine, Move.SUCCEED, True, output, output=output, **changes)
            case Failed(error) if (at := attempts.next_at(self.run, error)) is not None:
                wait = attempts.wait_for(self.run, at)
                return move(self._mine, Move.PARK, wake_at=at, wait=wait, **error_fields(error), **changes)
            case Failed(error):
                return failed(self.run, self._mine, error, **changes)
            case Canceled(error):
                return canceled(self.run, self._mine, error, **changes)
            case Continued(state):
                moved = move(self._mine, Move.SUCCEED, **changes)
                if moved:
                    succeed_with(self.run, state)
                return moved

    def _park(self, parked: Parked, changes: dict[str, Any]) -> int:
        """Park, unless a letter has come that the host has not seen: then the run is queued again at once."""
        when = None if parked.wake_at is None else datetime.fromtimestamp(parked.wake_at / 1000, UTC)
        moved = move(self._mine, Move.PARK, wake_at=when, wait=parked.wait, **changes)
        if moved and parked.seen is not None:
            new = Message.objects.filter(run=self.run, taken_seq=None).exclude(pk__in=parked.seen)
            if new.exists() and move(self._mine, Move.WAKE):
                nudge()
        return moved

    def _cancel_reason(self) -> str | None:
        """Why the run is to be canceled, None when it is not. Whoever cancels a running run leaves it to its holder, so
        nothing may take it out of the holder's hands without looking; the row stays locked until that is committed."""
        row = self._mine.select_for_update().filter(cancel_requested_at__isnull=False)
        return row.values_list("cancel_reason", flat=True).first()
