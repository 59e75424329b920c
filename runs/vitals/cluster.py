"""django-q2's clusters and its queue of nudges, as q2 tells of them."""

from dataclasses import dataclass, field
from datetime import datetime

from django_q.brokers import get_broker
from django_q.status import Stat

MOST = 50


@dataclass(frozen=True, slots=True)
class Cluster:
    """`state` is q2's word: Starting, Idle, Working, Stopping, Stopped. `processes` are the pids of its workers. Seen
    from hosts that share its cache."""

    name: str
    host: str
    pid: int
    state: str
    started: datetime
    processes: list[int] = field(default_factory=list)


def clusters() -> list[Cluster]:
    """Those that have told of themselves in the last seconds; q2 forgets one that no longer does."""
    stats = Stat.get_all()[:MOST]
    told = [Cluster(str(s.cluster_id), s.host, s.pid, str(s.status), s.tob, list(s.workers)) for s in stats]
    return sorted(told, key=lambda cluster: cluster.started)


def pending_nudges() -> int:
    """Messages that nobody has come for: a few are usual, many are a sign that no worker listens."""
    return int(get_broker().queue_size())
