"""A dry replay: the script runs from the top against its journal, up to where it stands. Nothing is executed and
nothing committed. A rehearsal is lenient, and hands back as a round what it would write; a verification is strict."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from journal.entries import Entry
from runs.host.limits import HostLimits
from runs.host.outcome import Ending
from runs.host.play import Play
from runs.host.ports import Call, Clock, Completion, JournalPort, NewChild, Round
from runs.host.stops import STOPS, Diverged, ending_of
from runs.realm import Leftovers, Realm, SliceCutShort

Prepare = Callable[[int, dict[str, Any]], tuple[NewChild | None, dict[str, Any] | None]]


@dataclass(frozen=True, slots=True)
class Stood:
    """`ending` where the script has settled, None where it waits for what is open. `round` holds what is new."""

    leftovers: Leftovers
    round: Round
    ending: Ending | None


class Unplayable(Exception):
    """The replay did not come to a stand: `ending` says why, as the end of a run would. `parted` is there where a
    strict one has left the journal: {asked, line, recorded: {callSeq, key} or None}."""

    def __init__(self, ending: Ending, parted: dict[str, Any] | None = None) -> None:
        super().__init__(ending)
        self.ending, self.parted = ending, parted


class Replay:
    """What a dry replay of either kind is: a script, a journal, and effects of which nothing happens."""

    lenient: bool

    def __init__(
        self,
        *,
        run_id: str,
        source: str,
        input: Any,
        journal: JournalPort,
        prepare: Prepare,
        clock: Clock,
        limits: HostLimits | None = None,
    ) -> None:
        self._play = Play(
            run_id=run_id,
            source=source,
            input=input,
            journal=journal,
            effects=_NothingHappens(prepare),
            clock=clock,
            limits=limits or HostLimits(),
            lenient=self.lenient,
            dry=True,
        )

    @property
    def realm(self) -> Realm | None:
        """The watchdog looks at it."""
        return self._play.realm

    def _bring(self) -> Ending | None:
        """How the script has ended, None where it waits; raises `Unplayable`."""
        play = self._play
        try:
            self._bring_at_length()
            return play.ending()
        except STOPS as stop:
            parted = stop.parted if isinstance(stop, Diverged) else None
            raise Unplayable(ending_of(stop, play.limits, play.source), parted) from None

    def _bring_at_length(self) -> None:
        while True:
            try:
                self._play.bring()
                return
            except SliceCutShort:
                self._play.stretch_fuel()
                self._play.forget()


class Rehearsal(Replay):
    """The lenient one: it may leave the journal, and says what becomes of that. `stand` is the whole of it."""

    lenient = True

    def stand(self) -> Stood:
        """Raises `Unplayable` where the script does not load, or stops at a limit."""
        ending = self._bring()
        assert self._play.realm is not None
        return Stood(self._play.realm.leftovers(), self._play.take(), ending)


class Verification(Replay):
    """The strict one, as a worker replays: it ends where script and journal part."""

    lenient = False

    def stand(self) -> tuple[Ending | None, list[Entry]]:
        """How the script has ended, None where it waits; and what it asks for that the journal does not have. Raises
        `Unplayable`, with `parted` where they part."""
        ending = self._bring()
        return ending, self._play.take().entries


class _NothingHappens:
    """An `EffectsPort` of which nothing is ever started; `prepare` is that of the real one."""

    def __init__(self, prepare: Prepare) -> None:
        self.prepare_child = prepare

    def transactional(self, tool: str) -> bool:
        return False

    def timeout_ms(self, tool: str) -> float | None:
        return None

    def start(self, call: Call) -> None:
        raise AssertionError(f"a dry replay starts call {call.call_seq}")

    def execute(self, call: Call) -> Completion:
        raise AssertionError(f"a dry replay executes call {call.call_seq}")

    def wait(self, seconds: float | None) -> list[Completion]:
        raise AssertionError("a dry replay waits")

    def poke(self) -> None:
        pass
