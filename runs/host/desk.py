"""What the host and the families of effects share while a run is resident."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from journal.replay import Fold
from runs.host.draft import Draft
from runs.host.kept import Kept
from runs.host.ports import Clock, EffectsPort
from runs.realm.protocol import Planned, Progress

_PROGRESS_MS = 250  # a tool that reports at each step costs a commit this often and not more


@dataclass(slots=True)
class Desk:
    """`deliver(callSeq, ok, value)` hands a completion to the realm; its entry must be in the draft before."""

    run_id: str
    effects: EffectsPort
    clock: Clock
    draft: Draft
    deliver: Callable[[int, bool, Any], None]
    folded: Fold = field(default_factory=Fold)
    kept: Kept = field(default_factory=Kept)
    settled: bool = False  # the main function has ended: what is still out is recorded and not delivered
    plan: Any = None
    plan_changed: bool = False
    progress: dict[str, Any] = field(default_factory=dict)  # {fraction, label}, as far as told
    progress_at: int | None = None  # when the progress is to be written, None when it has been (ms since the epoch)
    _progress_written: int = 0

    def show(self, message: Planned | Progress) -> None:
        """What the script publishes about itself; goes with the next round."""
        match message:
            case Planned(plan):
                self.plan, self.plan_changed = plan, True
            case Progress(fraction, label):
                self._change_progress({"fraction": fraction, "label": label})

    def show_progress(self, progress: dict[str, Any]) -> None:
        """Of a tool, from its own thread."""
        self._change_progress(progress)
        self.effects.poke()

    def _change_progress(self, patch: dict[str, Any]) -> None:
        told = {name: value for name, value in patch.items() if value is not None}
        if not told:
            return
        self.progress = self.progress | told
        self.progress_at = max(self.clock.now(), self._progress_written + _PROGRESS_MS)

    def progress_due(self, now: int) -> bool:
        return self.progress_at is not None and self.progress_at <= now

    def take_progress(self, now: int) -> dict[str, Any] | None:
        """What is to be written with a round, None when it is written already."""
        if self.progress_at is None:
            return None
        self.progress_at, self._progress_written = None, now
        return {"fraction": self.progress.get("fraction"), "label": self.progress.get("label")}


class Family(Protocol):
    """One family of ctx operations. The host asks each of them in turn; `now` in ms since the epoch."""

    def rebuild(self) -> None:
        """The realm is made anew from the journal and will ask again for all that is open."""

    def due(self, now: int) -> bool:
        """Write and deliver what is due; whether there was anything."""

    def busy(self) -> bool:
        """Whether something runs that must be waited for: then the run cannot park."""

    def next_at(self) -> int | None:
        """When it next wants to be asked, None for not before something happens."""

    def waits(self) -> list[dict[str, Any]]:
        """What a parked run waits for here, for people to read."""

    def finish(self) -> None:
        """The main function has settled: drop or record what was only waiting."""
