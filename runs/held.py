"""The journal of a run that this worker holds, on the database: what the host commits, and the run's row with it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from journal import store
from journal.entries import Entry
from journal.errors import FenceLost
from runs.ending import error_fields
from runs.host import Canceled, Failed, Head, Parked, Round, Succeeded
from runs.host.ports import Work
from runs.lifecycle import Move, Status, move
from runs.models import Run


class HeldRun:
    """Implements the host's `JournalPort`. Each write is one transaction and carries the fence of the claim."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._mine = Run.objects.filter(pk=run.pk, fence=run.fence)

    def read(self) -> list[Entry]:
        return store.read(self.run.journal_id, superseded=False)

    def head(self) -> Head:
        """As of the claim, which loaded the row: nobody else has written since."""
        journal = self.run.journal
        return Head(journal.next_seq - 1, journal.bytes, journal.cpu_ms, journal.last_call_seq)

    def commit(self, round: Round) -> None:
        if round.ending is None and round.plan is None and round.progress is None:
            self._append(round.entries, round.cpu_ms)
            return
        with transaction.atomic():
            self._write(round)

    def commit_around(self, round: Round, work: Work) -> None:
        with transaction.atomic():
            self._write(round)
            self._append(self._attempt(work))

    def _attempt(self, work: Work) -> Sequence[Entry]:
        """Do the work in a savepoint, undone where it fails or has broken the transaction without saying so."""
        with transaction.atomic():
            ok, entries = work(None)
            if ok and connection.needs_rollback:
                entries = work("it caught a database error without a transaction.atomic() around the statement")[1]
            if not ok:
                transaction.set_rollback(True)
        return entries

    def _append(self, entries: Sequence[Entry], cpu_ms: float = 0) -> None:
        store.append(self.run.journal_id, self.run.fence, entries, cpu_ms)

    def _write(self, round: Round) -> None:
        """The run's row before its journal's, as everywhere: two orders would be a deadlock."""
        self._write_row(round)
        if round.entries or round.cpu_ms:
            self._append(round.entries, round.cpu_ms)

    def _write_row(self, round: Round) -> None:
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

    def _end(self, ending: Succeeded | Failed | Canceled | Parked, changes: dict[str, Any]) -> int:
        match ending:
            case Succeeded(output):
                return move(self._mine, Move.SUCCEED, output=output, **changes)
            case Failed(error):
                return move(self._mine, Move.FAIL, **error_fields(error), **changes)
            case Canceled(error):
                return move(self._mine, Move.CANCEL, **error_fields(error), **changes)
            case Parked(wake_at, wait):
                when = datetime.fromtimestamp(wake_at / 1000, UTC)
                return move(self._mine, Move.PARK, wake_at=when, wait=wait, **changes)
