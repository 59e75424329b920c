"""The inbox of a resident run: signals and ends of children, as last read, and what they answer."""

from runs.host.children import Children
from runs.host.ports import Control, JournalPort, Letter
from runs.host.waits import Waits


class Inbox:
    """Reads the letters again when it is told that there is mail."""

    def __init__(self, journal: JournalPort, control: Control, waits: Waits, children: Children) -> None:
        self._journal, self._control = journal, control
        self._waits, self._children = waits, children
        self._letters: list[Letter] | None = None  # None when they are to be read

    def listens(self) -> bool:
        """Whether the run waits for a letter."""
        return self._waits.any_open() or self._children.any_open()

    def read_again(self) -> None:
        self._letters = None

    def seen(self) -> frozenset[int] | None:
        """The ids of the letters that are kept; None where nothing listens."""
        return frozenset(letter.id for letter in self._letters or ()) if self.listens() else None

    def answer(self) -> bool:
        """Answer a wait or a child's call; one letter, so that the realm is quiet between two. The draft is empty here,
        or a letter that is taken in it would be read again."""
        if not self.listens():
            return False
        if self._letters is None or self._control.mail:
            self._control.mail = False
            self._letters = self._journal.letters()
        letter = self._children.answer(self._letters) or self._waits.answer(self._letters)
        if letter is None:
            return False
        self._letters = [kept for kept in self._letters if kept.id != letter.id]
        return True
