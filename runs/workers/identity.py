"""The name of a worker process, by which another process of the same machine can tell that it is dead."""

import hashlib
import os
import socket
from functools import cache
from pathlib import Path


@cache
def _node() -> str:
    """Names the space in which pids are unique: this boot of this machine, and the container in it."""
    parts = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        try:
            parts.append(str(Path(path).readlink()) if path.endswith("pid") else Path(path).read_text().strip())
        except OSError:
            return ""
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:12]


def _born(pid: int) -> str | None:
    """The start time of a process (ticks since boot), so that a reused pid is not taken for it; None when dead."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def worker_name() -> str:
    """host:pid:node:start, at most 80 characters."""
    pid = os.getpid()
    return f"{socket.gethostname()[:30]}:{pid}:{_node()}:{_born(pid) or ''}"


def surely_dead(worker: str) -> bool:
    """True where this machine can see that the process is gone; False where it lives or cannot be seen from here."""
    _, _, rest = worker.partition(":")
    pid, _, rest = rest.partition(":")
    node, _, born = rest.partition(":")
    return bool(node and born and node == _node() and pid.isdigit() and _born(int(pid)) != born)
