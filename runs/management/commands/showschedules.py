"""`manage.py showschedules`: what is scheduled, and when it fires next."""

from typing import Any

from runs.commands.base import AWAY, DONE, RunCommand
from runs.commands.scheduling import line
from runs.schedules import all_schedules


class Command(RunCommand):
    help = "Lists the schedules with their scripts and next firings."
    exits = f"Exit codes: 0 listed{AWAY}"

    def act(self, options: dict[str, Any]) -> int:
        planned = all_schedules()
        if self.json:
            self.answer({"schedules": [one.as_dict() for one in planned]})
        self.tell(*map(line, planned))
        if not planned:
            self.note("Nothing is scheduled; see manage.py schedulescript --help")
        return DONE
