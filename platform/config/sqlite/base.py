"""The database wrapper that Django loads: a transaction takes its turn before BEGIN and gives it back at its end."""

from typing import Any

from django.db.backends.sqlite3 import base

from config.sqlite.turns import Turns, turns_at


class DatabaseWrapper(base.DatabaseWrapper):
    """Transactions only: a single statement outside of one still waits as SQLite does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turns | None = None

    def _start_transaction_under_autocommit(self) -> None:
        self._take_turn()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _take_turn(self) -> None:
        if self._turn is None and not self.is_in_memory_db():
            turns = turns_at(str(self.settings_dict["NAME"]))
            if turns.take(self.settings_dict["OPTIONS"].get("timeout", 5)):
                self._turn = turns

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.give_back()

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]  # where it fails the transaction is still open, and a rollback follows
        self._end_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()
