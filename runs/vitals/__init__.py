"""How the platform is: who is alive, what waits, what is late, and how large it has become. Each fact costs a bounded
number of short queries, whatever is in the database; counts stop at `COUNTED` and say so.
"""

from runs.vitals.clock import Clock, clocks, tell_of_clock
from runs.vitals.cluster import Cluster, clusters, pending_nudges
from runs.vitals.databases import Size, size
from runs.vitals.pressing import Nudge, failed_nudges, near_cap, oldest_waiting
from runs.vitals.queue import Lateness, Queued, lateness, queues
from runs.vitals.using import Usage, Use, usage
from runs.vitals.worker import Worker, workers

__all__ = [
    "Clock", "Cluster", "Lateness", "Nudge", "Queued", "Size", "Usage", "Use", "Worker", "clocks", "clusters",
    "failed_nudges", "lateness", "near_cap", "oldest_waiting", "pending_nudges", "queues", "size", "tell_of_clock",
    "usage", "workers",
]  # fmt: skip
