"""The tools' own record of what they executed: one append-only file per run, which no crash takes back."""

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Execution:
    """`at` in ms since the epoch, when it began; `token` names the call."""

    token: str
    tool: str
    attempt: int
    pid: int
    at: int

    @property
    def call_seq(self) -> int:
        return int(self.token.rpartition(":")[2])


def note(folder: Path, token: str, tool: str, attempt: int) -> int:
    """Record one execution; returns how many of this tool this run has had, this one included."""
    folder.mkdir(exist_ok=True)
    file = os.open(folder / token.partition(":")[0], os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, f"{token} {attempt} {os.getpid()} {time.time_ns() // 1_000_000} {tool}\n".encode())
        end = os.lseek(file, 0, os.SEEK_CUR)
        return os.pread(file, end, 0).count(f" {tool}\n".encode())
    finally:
        os.close(file)


def of_run(folder: Path, run_id: str) -> list[Execution]:
    """All executions of a run's calls, in the order in which they began."""
    path = folder / run_id
    rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return [Execution(token, tool, int(attempt), int(pid), int(at)) for token, attempt, pid, at, tool in rows]
