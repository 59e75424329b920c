"""Puts the kill-safe parts in place of q2's, by the names under which `django_q.cluster` looks them up."""

import django_q.cluster

from runs.cluster.event import KillSafeEvent
from runs.cluster.queue import KillSafeQueue
from runs.cluster.sentinel import KillSafeSentinel
from runs.cluster.timer import KillSafeTimer


def install() -> None:
    """Every cluster that this process starts from now on is kill-safe."""
    django_q.cluster.Queue = KillSafeQueue
    django_q.cluster.Event = KillSafeEvent
    django_q.cluster.Value = KillSafeTimer
    django_q.cluster.Sentinel = KillSafeSentinel
