"""Why an advance stops before the script has settled, and the error that is told of it."""

from typing import Any

from runs.codes import Code
from runs.host.draft import JournalFull
from runs.host.failure import fault_of, run_error
from runs.host.limits import HostLimits
from runs.host.outcome import Ending, Failed
from runs.realm import FuelExhausted, OutOfMemory, ScriptFault


class Stop(Exception):
    """Ends the advance with `ending`."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class Diverged(Stop):
    """Replay and journal part; `parted` is as the realm tells it, see `diverged`."""

    def __init__(self, parted: dict[str, Any], source: str) -> None:
        super().__init__(diverged(parted, source))
        self.parted = parted


def failed(code: Code, what: str, source: str, line: int = 0) -> Failed:
    """A failure that the host itself found: what happened, then what to do about it."""
    return Failed(run_error(code, f"{what}. {code.help}", source, line))


# What `ending_of` takes.
STOPS = (FuelExhausted, OutOfMemory, ScriptFault, JournalFull, Stop)


def ending_of(stop: Exception, limits: HostLimits, source: str) -> Ending:
    """The end that one of `STOPS` means for the run."""
    match stop:
        case Stop():
            return stop.ending
        case ScriptFault():
            return Failed(fault_of(stop, source))
        case FuelExhausted():
            return failed(Code.FUEL_EXHAUSTED, f"a slice used more than {limits.realm.fuel_ms} ms of CPU", source)
        case OutOfMemory():
            mib = limits.realm.memory_bytes // (1024 * 1024)
            return failed(Code.OUT_OF_MEMORY, f"the script needs more than {mib} MiB", source)
        case JournalFull():
            most = f"{limits.journal_max_entries} entries or {limits.journal_max_bytes} bytes"
            return failed(Code.JOURNAL_CAP, f"the journal may hold {most}", source)
    raise stop


def spent(limits: HostLimits, source: str) -> Failed:
    return failed(Code.CPU_EXHAUSTED, f"the run has used its {limits.cpu_ms:.0f} ms of CPU", source)


def deadlock(line: int, source: str) -> Failed:
    seen = f"; the last ctx call was on line {line}" if line else ""
    return failed(Code.DEADLOCK, f"nothing is left to wait for and the script has not returned{seen}", source, line)


def diverged(parted: dict[str, Any], source: str) -> Failed:
    """`parted`: {asked, line, recorded: {callSeq, key} or None}, both sides of where replay and journal part."""
    asked_for = f"the script asks for {parted['asked']}" if parted["asked"] else "the script has moved on"
    recorded = parted["recorded"]
    other = "the journal has an answer to a call that the script did not make"
    if recorded:
        other = f"the journal has call {recorded['callSeq']} ({recorded['key']}) next"
    message = f"{asked_for}, but {other}. {Code.REPLAY_DIVERGED.help}"
    seq = recorded["callSeq"] if recorded else None
    return Failed(run_error(Code.REPLAY_DIVERGED, message, source, parted["line"], callSeq=seq))
