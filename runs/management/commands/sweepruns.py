"""`manage.py sweepruns`: one look of the clock, for cron or by hand."""

from typing import Any

from runs import clock
from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.ticking import moved


class Command(RunCommand):
    help = "Looks once, as runclock does all the time: wakes what is due, queues again what a dead worker held."
    exits = f"Exit codes: 0 done; 2 bad usage{AWAY}"

    def act(self, options: dict[str, Any]) -> int:
        swept = clock.tick()
        if self.json:
            self.answer(swept.as_dict())
        self.tell(moved(swept) or "nothing to move")
        return DONE
