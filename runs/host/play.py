"""A script in its realm, brought to where its journal ends. What it asks for goes into the draft as entries, and to the
families of ctx operations as effects; nothing is committed and nothing started here."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from journal import bodies, codec
from journal.replay import fold
from runs.codes import Code
from runs.host.calls import Calls
from runs.host.children import Children
from runs.host.desk import Desk, Family
from runs.host.draft import Draft
from runs.host.failure import error_of
from runs.host.kept import Kept
from runs.host.limits import HostLimits
from runs.host.outcome import Continued, Ending, Failed, Parked, Succeeded
from runs.host.ports import Clock, EffectsPort, Head, JournalPort, Round
from runs.host.records import body_of, warning_of
from runs.host.sleeps import Sleeps
from runs.host.stops import Diverged, Stop, failed, spent
from runs.host.waits import Waits
from runs.realm import FuelExhausted, Realm, Table
from runs.realm import protocol as asked

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_FUEL_FACTOR = 64


class Play:
    """`settled` is None until the main function has ended, or has handed on to a successor. `lenient`: see
    `rehearsal.py`; `dry`: whether only to look, and then a replay that costs more than a run may is given up."""

    def __init__(
        self,
        *,
        run_id: str,
        source: str,
        input: Any,
        journal: JournalPort,
        effects: EffectsPort,
        clock: Clock,
        limits: HostLimits,
        lenient: bool = False,
        dry: bool = False,
    ) -> None:
        self._run_id, self._input, self._lenient, self._dry = run_id, input, lenient, dry
        self._journal, self._clock = journal, clock
        self.source, self.limits = source, limits
        self.realm: Realm | None = None
        self.settled: asked.Settled | asked.Continue | None = None
        self._fuel_factor = 1.0
        self._cpu_base = 0.0
        self._warned = 0  # unhandled rejections that the journal has and the realm will tell again
        self.desk = Desk(run_id, effects, clock, Draft(Head(), clock.now, 0, 0), self._deliver)
        self.calls = Calls(self.desk)
        self.sleeps = Sleeps(self.desk)
        self.waits = Waits(self.desk, self._live)
        self.children = Children(self.desk, limits)
        self.families: tuple[Family, ...] = (self.sleeps, self.waits, self.children, self.calls)
        self._issue: dict[type, Callable[[Any, list[bodies.Body]], None]] = {
            asked.ToolCall: self.calls.issue,
            asked.Sleep: self.sleeps.issue,
            asked.Wait: self.waits.issue,
            asked.Delegate: self.children.issue,
            asked.Unhandled: self._warn,
        }

    def bring(self) -> None:
        """A fresh realm, brought to where the journal ends. Raises one of `stops.STOPS`, and `SliceCutShort`, after
        which `stretch_fuel` makes another attempt possible."""
        desk, limits = self.desk, self.limits
        if self.realm is None:
            head = self._journal.head()
            desk.draft = Draft(head, self._clock.now, limits.journal_max_entries, limits.journal_max_bytes)
        entries = self._journal.read() if desk.draft.head.entries else []
        folded = desk.folded = fold(entries)
        desk.kept = Kept(self._journal.kept(folded.kept) if folded.kept else ())
        self._warned = folded.warned
        for family in self.families:
            family.rebuild()
        realm = self.realm = Realm(replace(limits.realm, fuel_factor=self._fuel_factor))
        newest = max(folded.call_seq, desk.draft.head.call_seq)
        table = Table(folded.groups, folded.completions, newest, self._lenient)
        realm.load(self.source, table, input=self._input, run_id=self._run_id, now=self._clock.now())
        realm.start()
        going = True
        while going:
            going = realm.replay_next()
            if self._dry and self.cpu_ms() > limits.cpu_ms:  # an edited source may cost more than what was replayed
                raise Stop(spent(limits, self.source))
        if parted := realm.divergence():
            raise Diverged(parted, self.source)
        self._cpu_base = realm.cpu if entries else 0.0
        self._collect()

    def stretch_fuel(self) -> None:
        """A slice was cut short by what other threads have used: give the next realm a longer limit."""
        self._fuel_factor *= 2
        if self._fuel_factor > _MAX_FUEL_FACTOR:
            raise FuelExhausted from None

    def forget(self) -> None:
        """As if the script had not begun."""
        self.realm, self.settled, self.desk.settled = None, None, False

    def cpu_ms(self) -> float:
        """Of new work that no round has carried yet."""
        return (self.realm.cpu - self._cpu_base) * 1000 if self.realm else 0.0

    def take(self, ending: Ending | Parked | None = None) -> Round:
        """The entries so far as a round, and them alone: the run's row stays free for others while a transactional
        call is at work."""
        round = self.desk.draft.take(self.cpu_ms(), ending)
        if self.realm:
            self._cpu_base = self.realm.cpu
        return round

    def ending(self) -> Ending | None:
        """What the end of the main function means for the run; None while it goes on."""
        settled = self.settled
        if settled is None:
            return None
        if isinstance(settled, asked.Continue):
            return Continued(settled.state)
        if not settled.ok:
            return Failed(error_of(settled.value, self.source))
        size, most = len(codec.encode(settled.value)), self.limits.realm.result_max_bytes
        if size > most:
            returned = f"the script returned {size} bytes, the limit is {most}"
            return failed(Code.RESULT_TOO_LARGE, returned, self.source)
        return Succeeded(settled.value)

    def next_at(self) -> int | None:
        """When a family next wants to be asked, None for not before something happens."""
        return min((at for family in self.families if (at := family.next_at()) is not None), default=None)

    def line(self) -> int:
        """Where the script was last seen, 0 where it was not."""
        return self.realm.line() if self.realm else 0

    def _live(self) -> set[int]:
        return self.realm.live() if self.realm else set()

    def _deliver(self, call_seq: int, ok: bool, value: Any) -> None:
        if self.settled is None:
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
                    self.desk.show(message)
                case asked.Settled() | asked.Continue():
                    self.settled, self.desk.settled = message, True
                case asked.Now() | asked.Log() | asked.Step() | asked.PlanEdit():
                    new.append(body_of(message))
        if new:
            self.desk.draft.add_all_or_none(new)

    def _warn(self, message: asked.Unhandled, new: list[bodies.Body]) -> None:
        if self._warned:
            self._warned -= 1
        else:
            new.append(warning_of(message))
