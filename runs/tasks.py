"""The q2 tasks: thin, they call what anybody else calls."""

from runs import schedules
from runs.pruning import retention
from runs.workers.pool import pool


def advance() -> int:
    """A nudge: claim what is runnable. Returns how many runs this worker took."""
    return pool().feed()


def fire_schedule(**firing: str) -> str:
    """A firing of a schedule, perhaps delivered twice. Returns the id of its run."""
    return schedules.fire(**firing).run.pk


def retain() -> int:
    """A firing of the schedule of retention. Returns how many runs it has deleted."""
    return retention.fire().runs
