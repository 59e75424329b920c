"""The limits of a run's host."""

from runs.conf import conf
from runs.host import HostLimits
from runs.models import Run
from runs.realm import Limits
from runs.times import to_ms


def host_limits(run: Run) -> HostLimits:
    """The settings, over which the run's own budget goes."""
    settings, budget = conf(), run.budget
    return HostLimits(
        realm=Limits(settings.memory_bytes, settings.stack_bytes, settings.fuel_ms, settings.result_max_bytes),
        cpu_ms=budget.get("cpuMs", settings.cpu_ms),
        journal_max_entries=settings.journal_max_entries,
        journal_max_bytes=settings.journal_max_bytes,
        resident_sleep_ms=settings.resident_sleep_ms,
        depth=run.depth,
        depth_limit=settings.depth_limit,
        fanout_limit=settings.fanout_limit,
        deadline=to_ms(run.deadline_at),
    )
