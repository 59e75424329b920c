"""A dry replay: the script runs from the top against its journal, leniently, up to where it stands. Nothing is executed
and nothing committed; what it would write is handed back as a round."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from runs.host.limits import HostLimits
from runs.host.outcome import Ending
from runs.host.play import Play
from runs.host.ports import Call, Clock, Completion, JournalPort, NewChild, Round
from runs.host.stops import STOPS, ending_of
from runs.realm import Leftovers, Realm, SliceCutShort

Prepare = Callable[[int, dict[str, Any]], tuple[NewChild | None, dict[str, Any] | None]]


@dataclass(frozen=True, slots=True)
class Stood:
    """`ending` where the script has settled, None where it waits for what is open. `round` holds what is new."""

    leftovers: Leftovers
    round: Round
    ending: Ending | None


class Unplayable(Exception):
    """The replay did not come to a stand: `ending` says why, as the end of a run would."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class Rehearsal:
    """`stand` is the whole of it."""

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
            lenient=True,
        )

    @property
    def realm(self) -> Realm | None:
        """The watchdog looks at it."""
        return self._play.realm

    def stand(self) -> Stood:
        """Raises `Unplayable` where the script does not load, or stops at a limit."""
        play = self._play
        try:
            self._bring()
            ending = play.ending()
        except STOPS as stop:
            raise Unplayable(ending_of(stop, play.limits, play.source)) from None
        assert play.realm is not None
        return Stood(play.realm.leftovers(), play.take(), ending)

    def _bring(self) -> None:
        while True:
            try:
                self._play.bring()
                return
            except SliceCutShort:
                self._play.stretch_fuel()
                self._play.forget()


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
