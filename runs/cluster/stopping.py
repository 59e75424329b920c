"""Whether the cluster of this process has been told to stop, for tasks that would otherwise go on claiming."""

from runs.cluster.event import KillSafeEvent

_stop: KillSafeEvent | None = None


def watch(stop: KillSafeEvent) -> None:
    """Remember the cluster's stop event. The sentinel calls it before it forks, so its workers inherit it."""
    global _stop
    _stop = stop


def stopping() -> bool:
    """True from the moment the cluster got SIGTERM; always False outside a cluster. Costs one system call."""
    return _stop is not None and _stop.is_set()
