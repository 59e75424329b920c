"""What a run may use."""

from dataclasses import dataclass, field

from runs.realm import Limits


@dataclass(frozen=True, slots=True)
class HostLimits:
    """`deadline` in ms since the epoch, None for no end."""

    realm: Limits = field(default_factory=Limits)
    cpu_ms: float = 60_000
    journal_max_entries: int = 5_000
    journal_max_bytes: int = 8 * 1024 * 1024
    resident_sleep_ms: int = 1_000
    deadline: int | None = None
    depth: int = 0  # of this run in its tree; the root is at 0
    depth_limit: int = 8
    fanout_limit: int = 500
