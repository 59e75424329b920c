"""One advance of one run: a round runs the realm until it is quiet, commits what was delivered and issued, and only
then starts what was issued; then the host waits for completions, delivers them one at a time, and so on.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from journal import bodies, codec
from journal.errors import FenceLost
from journal.replay import fold
from runs.codes import Code
from runs.host.calls import Calls
from runs.host.children import Children
from runs.host.desk import Desk, Family
from runs.host.draft import Draft
from runs.host.failure import error_of, run_error
from runs.host.kept import Kept
from runs.host.limits import HostLimits
from runs.host.outcome import Canceled, Continued, Ending, Failed, Lost, Outcome, Parked, Released, Succeeded
from runs.host.plans import closed
from runs.host.ports import Clock, Control, EffectsPort, Head, JournalPort, Letter, Round
from runs.host.records import body_of, warning_of
from runs.host.sleeps import Sleeps
from runs.host.stops import STOPS, Stop, deadlock, diverged, ending_of, failed
from runs.host.waits import Waits
from runs.realm import FuelExhausted, Realm, SliceCutShort, Table
from runs.realm import protocol as asked

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_FUEL_FACTOR = 64
_LINGER_MS = 30_000  # how long the results of what still runs are collected after the run has ended


class Host:
    """`advance` runs on one thread and returns one `Outcome`."""

    _lenient = False  # see `rehearsal.py`

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
        self._run_id, self._source, self._input = run_id, source, input
        self._journal, self._clock = journal, clock
        self._limits = limits or HostLimits()
        self._control = control or Control()
        self.realm: Realm | None = None  # the watchdog looks at it
        self._fuel_factor = 1.0
        self._cpu_base = 0.0
        self._warned = 0  # unhandled rejections that the journal has and the realm will tell again
        self._settled: asked.Settled | asked.Continue | None = None
        self._letters: list[Letter] | None = None  # the inbox as last read, None when it is to be read
        self._desk = Desk(run_id, effects, clock, Draft(Head(), clock.now, 0, 0), self._deliver)
        self._calls = Calls(self._desk)
        self._sleeps = Sleeps(self._desk)
        self._waits = Waits(self._desk, self._live)
        self._children = Children(self._desk, self._limits)
        self._families: tuple[Family, ...] = (self._sleeps, self._waits, self._children, self._calls)
        self._issue: dict[type, Callable[[Any, list[bodies.Body]], None]] = {
            asked.ToolCall: self._calls.issue,
            asked.Sleep: self._sleeps.issue,
            asked.Wait: self._waits.issue,
            asked.Delegate: self._children.issue,
            asked.Unhandled: self._warn,
        }

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
            self.realm = None  # its memory goes now, and not with the next collection of cycles

    def _advance(self) -> Outcome:
        try:
            while True:
                try:
                    self._resume()
                    return self._pump()
                except SliceCutShort:
                    self._fuel_factor *= 2
                    if self._fuel_factor > _MAX_FUEL_FACTOR:
                        raise FuelExhausted from None
                    self._commit()
        except STOPS as stop:
            return self._end(ending_of(stop, self._limits, self._source))

    # The realm

    def _resume(self) -> None:
        """A fresh realm, brought to where the journal ends."""
        desk, limits = self._desk, self._limits
        if self.realm is None:
            head = self._journal.head()
            desk.draft = Draft(head, self._clock.now, limits.journal_max_entries, limits.journal_max_bytes)
        entries = self._journal.read() if desk.draft.head.entries else []
        folded = desk.folded = fold(entries)
        desk.kept = Kept(self._journal.kept(folded.kept) if folded.kept else ())
        self._warned = folded.warned
        self._letters = None
        for family in self._families:
            family.rebuild()
        realm = self.realm = Realm(replace(limits.realm, fuel_factor=self._fuel_factor))
        newest = max(folded.call_seq, desk.draft.head.call_seq)
        table = Table(folded.groups, folded.completions, newest, self._lenient)
        realm.load(self._source, table, input=self._input, run_id=self._run_id, now=self._clock.now())
        realm.start()
        while realm.replay_next():
            pass
        if parted := realm.divergence():
            raise Stop(diverged(parted, self._source))
        self._cpu_base = realm.cpu if entries else 0.0
        self._collect()

    def _deliver(self, call_seq: int, ok: bool, value: Any) -> None:
        if self._settled is None:
            assert self.realm is not None
            self.realm.settle(call_seq, ok, value, self._clock.now())
            self._collect()

    def _collect(self) -> None:
        """Take what the script asked for: its entries into the draft, its effects to their families."""
        assert self.realm is not None
        new: list[bodies.Body] = []
        for message in self.realm.drain():
            if issue := self._issue.get(type(message)):
                issue(message, new)
                continue
            match message:
                case asked.Planned() | asked.Progress():
                    self._desk.show(message)
                case asked.Settled() | asked.Continue():
                    self._settled, self._desk.settled = message, True
                case asked.Now() | asked.Log() | asked.Step() | asked.PlanEdit():
                    new.append(body_of(message))
        if new:
            self._desk.draft.add_all_or_none(new)

    def _warn(self, message: asked.Unhandled, new: list[bodies.Body]) -> None:
        if self._warned:
            self._warned -= 1
        else:
            new.append(warning_of(message))

    # Rounds

    def _pump(self) -> Outcome:
        while self._settled is None:
            self._check()
            if parked := self._park_at_once():
                return parked
            self._flush()
            if self._settled is None and (outcome := self._wait()):
                return outcome
        return self._finish()

    def _check(self) -> None:
        if self._control.lost:
            raise FenceLost(self._run_id, 0)
        if self._control.cancel is not None:
            raise Stop(Canceled(run_error(Code.CANCELED, self._control.cancel, self._source)))
        if self._past_deadline():
            raise Stop(failed(Code.WALL_TIMEOUT, "the run has lived as long as it may", self._source))
        if self._desk.draft.head.cpu_ms + self._cpu() > self._limits.cpu_ms:
            used = f"the run has used its {self._limits.cpu_ms:.0f} ms of CPU"
            raise Stop(failed(Code.CPU_EXHAUSTED, used, self._source))

    def _past_deadline(self) -> bool:
        return self._limits.deadline is not None and self._clock.now() >= self._limits.deadline

    def _cpu(self) -> float:
        """ms of new work that no round has carried yet."""
        return (self.realm.cpu - self._cpu_base) * 1000 if self.realm else 0.0

    def _commit(self, ending: Ending | Parked | None = None) -> None:
        desk, now = self._desk, self._clock.now()
        if len(desk.draft) or desk.plan_changed or ending or desk.progress_due(now):
            round = self._take(ending)
            round.plan = desk.plan if desk.plan_changed or ending else None
            round.progress = desk.take_progress(now)
            desk.plan_changed = False
            self._journal.commit(round)

    def _take(self, ending: Ending | Parked | None = None) -> Round:
        """The entries alone: the run's row stays free for others while a transactional call is at work."""
        round = self._desk.draft.take(self._cpu(), ending)
        if self.realm:
            self._cpu_base = self.realm.cpu
        return round

    def _flush(self) -> None:
        """Commit the round, start what it issued. Transactional calls run here, within the commit of their result. A
        worker that stops starts nothing more: what was issued is started by the next one."""
        if self._control.release_at is not None:
            self._commit()
            return
        while self._calls.has_transactional():
            if self._settled is None:
                self._check()
            self._calls.run_transactional(self._journal, self._take)
        self._commit()
        self._calls.launch()

    # Waiting

    def _live(self) -> set[int]:
        return self.realm.live() if self.realm else set()

    def _answer(self) -> bool:
        """Answer a wait or a child's call from the inbox; one letter, so that the realm is quiet between two. The
        draft is empty here, or a letter that is taken in it would be read again."""
        if not (self._waits.any_open() or self._children.any_open()):
            return False
        if self._letters is None or self._control.mail:
            self._control.mail = False
            self._letters = self._journal.letters()
        letter = self._children.answer(self._letters) or self._waits.answer(self._letters)
        if letter is None:
            return False
        self._letters = [kept for kept in self._letters if kept.id != letter.id]
        return True

    def _wait(self) -> Outcome | None:
        """Deliver what is due; else park, hand over, or wait for what is out."""
        now = self._clock.now()
        if self._waits.overdue(now):
            self._letters = None  # a signal that has come by now goes before the timeout
        if self._answer():
            return None
        # Results first, and every family: due timers must not keep results and time limits waiting.
        arrived = self._calls.busy() and self._calls.wait(now, now)
        if any([family.due(now) for family in self._families]) or arrived:  # noqa: C419  (each of them is asked)
            return None
        next_at = min((at for family in self._families if (at := family.next_at()) is not None), default=None)
        release_at = self._control.release_at
        if not self._calls.busy():
            if release_at is not None and self._calls.unstarted():
                return self._release()
            if next_at is None and not (self._children.any_open() or self._waits.open()):
                raise Stop(deadlock(self.realm.line() if self.realm else 0, self._source))
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
        listens = self._waits.any_open() or self._children.any_open()
        if listens or self._calls.unstarted() or self._calls.busy() or self._control.release_at is not None:
            return None
        next_at = min((at for family in self._families if (at := family.next_at()) is not None), default=None)
        if next_at is None or next_at - self._clock.now() <= self._limits.resident_sleep_ms:
            return None
        return self._park(next_at)

    def _park(self, wake_at: int | None) -> Parked:
        waits = [wait for family in self._families for wait in family.waits()]
        listens = self._waits.any_open() or self._children.any_open()
        seen = frozenset(letter.id for letter in self._letters or ()) if listens else None
        parked = Parked(wake_at, sorted(waits, key=lambda wait: int(wait["callSeq"])), seen)
        self._commit(parked)
        return parked

    def _release(self) -> Released:
        self._calls.tell()
        return Released()

    # Ending

    def _finish(self) -> Outcome:
        """The main function has settled: finish and record the calls that it left behind, drop the rest, end."""
        assert self._settled is not None
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
        return self._end(self._result(self._settled))

    def _result(self, settled: asked.Settled | asked.Continue) -> Ending:
        if isinstance(settled, asked.Continue):
            return Continued(settled.state)
        if not settled.ok:
            return Failed(error_of(settled.value, self._source))
        size, most = len(codec.encode(settled.value)), self._limits.realm.result_max_bytes
        if size > most:
            returned = f"the script returned {size} bytes, the limit is {most}"
            return failed(Code.RESULT_TOO_LARGE, returned, self._source)
        return Succeeded(settled.value)

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
