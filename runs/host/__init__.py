"""The host: pumps a realm against a journal and effects until the run ends, parks or is handed over.

It takes its journal, effects and clock as arguments and touches no database: `memory.py` has all three for tests.
"""

from runs.host.host import Host
from runs.host.limits import HostLimits
from runs.host.outcome import Canceled, Continued, Ending, Failed, Lost, Outcome, Parked, Released, Succeeded
from runs.host.ports import Call, Completion, Control, Head, Letter, NewChild, Round, SystemClock

__all__ = [
    "Call", "Canceled", "Completion", "Continued", "Control", "Ending", "Failed", "Head", "Host", "HostLimits",
    "Letter", "Lost", "NewChild", "Outcome", "Parked", "Released", "Round", "Succeeded", "SystemClock",
]  # fmt: skip
