"""What a holder itself knows of its lease. A write carries the fence, what a tool does to the world does not: so a tool
or agent begins only while the lease surely holds. What is left is a stall longer than the margin between that look and
the tool's first line: then it may begin although another holder has written its result, with the same token."""

from journal.errors import FenceLost
from runs import queue, times
from runs.conf import conf
from runs.models import Run

# The part of a lease in which nothing begins: the keeper renews well before it, and a stall of a tool's thread fits in.
_MARGIN = 1 / 3


class Lease:
    """Of one claimed run. Any thread may ask whether it is `fresh`; where it is not, the run's own thread renews it."""

    def __init__(self, run: Run) -> None:
        self._run_id, self._fence = run.pk, run.fence
        self._since = run.claimed_at

    def fresh(self) -> bool:
        """Whether nobody else can have claimed the run, nor will for a while. Costs no query."""
        return times.steady() - self._since < conf().lease_seconds * (1 - _MARGIN)

    def renewed(self, asked: float) -> None:
        """A renewal that was asked for then (`times.steady`) has succeeded."""
        self._since = max(self._since, asked)

    def renew(self) -> None:
        """Renew it, by one conditional UPDATE, where it is not fresh. Raises `FenceLost` where the run is not ours."""
        if self.fresh():
            return
        asked = times.steady()
        if not queue.renew({self._run_id: self._fence}):
            raise FenceLost(self._run_id, self._fence)
        self.renewed(asked)
