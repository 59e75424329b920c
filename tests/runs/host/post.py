"""The inbox in memory: signals that arrive at set times, children that end a while after they were made."""

from collections.abc import Callable, Iterable
from typing import Any

from runs.host import Control, Letter, NewChild, Parked, Round
from runs.host.memory import MemoryClock, MemoryJournal

_OF_CHILDREN = 1_000_000  # ids of their letters, the same again after a crash
Child = Callable[[NewChild], tuple[int, bool, Any]]  # after how many ms it ends, and how


class Listening(Control):
    """A run that looks into its inbox whenever it can."""

    __slots__ = ()

    @property
    def mail(self) -> bool:  # type: ignore[override]
        return True

    @mail.setter
    def mail(self, _: bool) -> None:
        pass


def answered(child: NewChild) -> tuple[int, bool, Any]:
    return 0, True, child.input


class Post(MemoryJournal):
    """A journal with an inbox. `coming`: (when, letter); each letter may be taken once."""

    def __init__(self, clock: MemoryClock, child: Child = answered) -> None:
        super().__init__()
        self.clock, self.child = clock, child
        self.coming: list[tuple[int, Letter]] = []
        self.taken: dict[int, int] = {}
        self.children: list[NewChild] = []

    def signal(self, name: str, payload: Any = None, *, after: int = 0, wait_id: str = "") -> int:
        """Arrives `after` ms from now; returns the letter's id."""
        number = sum(letter.kind == "signal" for _, letter in self.coming) + 1
        self.coming.append((self.clock.now() + after, Letter(number, "signal", payload, name, wait_id)))
        return number

    def letters(self) -> list[Letter]:
        now = self.clock.now()
        here = [(at, letter.id, letter) for at, letter in self.coming if at <= now and letter.id not in self.taken]
        return [letter for _, _, letter in sorted(here, key=lambda item: item[:2])]

    def commit(self, round: Round) -> None:
        super().commit(round)
        for number, seq in round.letters.items():
            assert number not in self.taken, "a letter was taken twice"
            self.taken[number] = seq
        for child in round.children:
            self.children.append(child)
            after, ok, value = self.child(child)
            told = {"ok": ok, "value": value, "childRunId": child.run_id}
            letter = Letter(_OF_CHILDREN + child.call_seq, "child", told, call_seq=child.call_seq)
            self.coming.append((self.clock.now() + after, letter))

    def goes_on(self, parked: Parked) -> bool:
        """Move the clock to what wakes the run; False where nothing ever will."""
        new = {letter.id for letter in self.letters()} - (parked.seen or set())
        if parked.seen is not None and new:
            return True
        later = [at for at, letter in self.coming if at > self.clock.now() and letter.id not in self.taken]
        times = [*later, *([] if parked.wake_at is None else [parked.wake_at])]
        if not times:
            return False
        self.clock.time = max(self.clock.time, min(times))
        return True

    def cut(self, rounds: int) -> "Post":
        """What a crash after that many commits leaves: what had been taken later is in the inbox again."""
        kept = Post(self.clock, self.child)
        kept.coming = [item for item in self.coming if item[1].kind == "signal"]
        for round in self.rounds[:rounds]:
            kept.commit(round)
        return kept


def signals(post: Post, names: Iterable[str]) -> list[int]:
    return [post.signal(name, number) for number, name in enumerate(names, 1)]
