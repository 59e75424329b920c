"""One advance of one run: a round runs the realm until it is quiet, commits what was delivered and issued, and only
then starts what was issued; then the host waits for completions, delivers them one at a time, and so on.
"""

from typing import Any

from journal.errors import FenceLost
from runs.codes import Code
from runs.host.failure import run_error
from runs.host.inbox import Inbox
from runs.host.limits import HostLimits
from runs.host.outcome import Canceled, Ending, Failed, Lost, Outcome, Parked, Released
from runs.host.plans import closed
from runs.host.play import Play
from runs.host.ports import Clock, Control, EffectsPort, JournalPort
from runs.host.stops import STOPS, Stop, deadlock, ending_of, failed, spent
from runs.realm import Realm, SliceCutShort

_LINGER_MS = 30_000  # how long the results of what still runs are collected after the run has ended


class Host:
    """`advance` runs on one thread and returns one `Outcome`."""

    def __init__(
        self,
        *,
        run_id: str,
        source: str,
        input: Any,
        journal: JournalPort,
        effects: EffectsPort,
        clock: Clock,
        limits: HostLimits | None = None,
        control: Control | None = None,
    ) -> None:
        self._run_id, self._source = run_id, source
        self._journal, self._clock = journal, clock
        self._limits = limits or HostLimits()
        self._control = control or Control()
        self._play = Play(
            run_id=run_id,
            source=source,
            input=input,
            journal=journal,
            effects=effects,
            clock=clock,
            limits=self._limits,
        )
        self._desk, self._calls, self._families = self._play.desk, self._play.calls, self._play.families
        self._inbox = Inbox(journal, self._control, self._play.waits, self._play.children)

    @property
    def realm(self) -> Realm | None:
        """The watchdog looks at it."""
        return self._play.realm

    def advance(self) -> Outcome:
        """Until the run ends, parks, is handed over or is lost. What it returns has been committed, save `Released`."""
        try:
            return self._advance()
        except FenceLost:
            self._calls.tell()
            return Lost()
        except BaseException:
            self._calls.tell()
            raise
        finally:
            self._play.realm = None  # its memory goes now, and not with the next collection of cycles

    def _advance(self) -> Outcome:
        try:
            while True:
                try:
                    self._play.bring()
                    self._inbox.read_again()
                    return self._pump()
                except SliceCutShort:
                    self._play.stretch_fuel()
                    self._commit()
        except STOPS as stop:
            return self._end(ending_of(stop, self._limits, self._source))

    # Rounds

    def _pump(self) -> Outcome:
        while self._play.settled is None:
            self._check()
            if parked := self._park_at_once():
                return parked
            self._flush()
            if self._play.settled is None and (outcome := self._wait()):
                return outcome
        return self._finish()

    def _check(self) -> None:
        if self._control.lost:
            raise FenceLost(self._run_id, 0)
        if self._control.cancel is not None:
            raise Stop(Canceled(run_error(Code.CANCELED, self._control.cancel, self._source)))
        if self._past_deadline():
            raise Stop(failed(Code.WALL_TIMEOUT, "the run has lived as long as it may", self._source))
        if self._desk.draft.head.cpu_ms + self._play.cpu_ms() > self._limits.cpu_ms:
            raise Stop(spent(self._limits, self._source))

    def _past_deadline(self) -> bool:
        return self._limits.deadline is not None and self._clock.now() >= self._limits.deadline

    def _commit(self, ending: Ending | Parked | None = None) -> None:
        desk, now = self._desk, self._clock.now()
        if len(desk.draft) or desk.plan_changed or ending or desk.progress_due(now):
            round = self._play.take(ending)
            round.plan = desk.plan if desk.plan_changed or ending else None
            round.progress = desk.take_progress(now)
            desk.plan_changed = False
            self._journal.commit(round)

    def _flush(self) -> None:
        """Commit the round, start what it issued. Transactional calls run here, within the commit of their result. A
        worker that stops starts nothing more: what was issued is started by the next one."""
        if self._control.release_at is not None:
            self._commit()
            return
        while self._calls.has_transactional():
            if self._play.settled is None:
                self._check()
            self._calls.run_transactional(self._journal, self._play.take)
        self._commit()
        self._calls.launch()

    # Waiting

    def _wait(self) -> Outcome | None:
        """Deliver what is due; else park, hand over, or wait for what is out."""
        now = self._clock.now()
        if self._play.waits.overdue(now):
            self._inbox.read_again()  # a signal that has come by now goes before the timeout
        if self._inbox.answer():
            return None
        # Results first, and every family: due timers must not keep results and time limits waiting.
        arrived = self._calls.busy() and self._calls.wait(now, now)
        if any([family.due(now) for family in self._families]) or arrived:  # noqa: C419  (each of them is asked)
            return None
        next_at = self._play.next_at()
        release_at = self._control.release_at
        if not self._calls.busy():
            if release_at is not None and self._calls.unstarted():
                return self._release()
            if next_at is None and not (self._play.children.any_open() or self._play.waits.open()):
                raise Stop(deadlock(self._play.line(), self._source))
            if next_at is None or next_at - now > self._limits.resident_sleep_ms or release_at is not None:
                return self._park(next_at)
        elif release_at is not None and now >= release_at:
            return self._release()
        self._wait_until(next_at, now)
        return None

    def _wait_until(self, next_at: int | None, now: int) -> None:
        limits = (next_at, self._limits.deadline, self._control.release_at, self._desk.progress_at)
        self._calls.wait(min((at for at in limits if at is not None), default=None), now)

    def _park_at_once(self) -> Parked | None:
        """Where the round leaves nothing but long sleeps, it and the parking are one commit."""
        calls, stopping = self._calls, self._control.release_at is not None
        if self._inbox.listens() or calls.unstarted() or calls.busy() or stopping:
            return None
        next_at = self._play.next_at()
        if next_at is None or next_at - self._clock.now() <= self._limits.resident_sleep_ms:
            return None
        return self._park(next_at)

    def _park(self, wake_at: int | None) -> Parked:
        waits = [wait for family in self._families for wait in family.waits()]
        parked = Parked(wake_at, sorted(waits, key=lambda wait: int(wait["callSeq"])), self._inbox.seen())
        self._commit(parked)
        return parked

    def _release(self) -> Released:
        self._calls.tell()
        return Released()

    # Ending

    def _finish(self) -> Outcome:
        """The main function has settled: finish and record the calls that it left behind, drop the rest, end."""
        for family in self._families:
            family.finish()
        if self._calls.unstarted() or self._calls.busy():
            self._flush()
        while self._calls.busy():
            if self._control.cancel is not None or self._control.lost or self._past_deadline():
                self._check()
            now = self._clock.now()
            self._commit()
            if not self._calls.due(now):
                release_at = self._control.release_at
                if release_at is not None and now >= release_at:
                    return self._release()
                self._wait_until(self._calls.next_at(), now)
        if self._calls.unstarted():
            return self._release()
        ending = self._play.ending()
        assert ending is not None
        return self._end(ending)

    def _end(self, ending: Ending) -> Outcome:
        self._desk.plan = closed(self._desk.plan, failed=isinstance(ending, Failed))
        self._commit(ending)
        self._record_late()
        return ending

    def _record_late(self) -> None:
        """Results of what still runs after the end: recorded, never delivered."""
        self._calls.tell()
        until = self._clock.now() + _LINGER_MS
        while self._calls.busy() and self._control.release_at is None and (left := until - self._clock.now()) > 0:
            self._calls.record_late(left / 1000)
            self._desk.progress_at = None  # an ended run makes none
            self._commit()
