"""How fast a page sees what a worker writes, and what two hundred pages cost the worker."""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from work import SUM, advance, claimed

sys.path.append(str(Path(__file__).resolve().parents[1]))

from helpers import House, free_port

SOCKETS = 200
# With sockets and without in turn, each as often the first of a pair, so that both see the same drift of the machine.
ORDER = (False, True, True, False, False, True)
APPENDS = 200


def measure(folder: Path, calls: int) -> dict[str, Any]:
    """Latencies in ms from the return of a commit to the frame; the rate of a worker with the sockets against without
    them; the memory of the web process in MiB before, and at most."""
    from django.contrib.auth.models import User

    environ = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL", "LOG_LEVEL")}
    house = House(folder, **environ)
    port = free_port()
    user = User.objects.create_superuser("bench")
    try:
        web = house.serve(port)
        latencies = sorted(latency_ms(port, user))
        before = memory_mib(web.pid, "VmRSS")
        advance(claimed(SUM % "", calls))  # until this process is warm
        without: list[Pace] = []
        watched: list[Pace] = []
        crowds = []
        for with_sockets in ORDER:
            if with_sockets:
                one, crowd = watched_pace(port, user, calls, web.pid)
                watched.append(one)
                crowds.append(crowd)
            else:
                without.append(pace(claimed(SUM % "", calls), calls, web.pid))
        return {
            "append_to_frame_ms_median": round(statistics.median(latencies), 1),
            "append_to_frame_ms_p95": round(latencies[int(len(latencies) * 0.95)], 1),
            "sockets": SOCKETS,
            "sockets_complete": [crowd["complete"] for crowd in crowds],
            "sockets_behind_s": round(statistics.median(crowd["behind_s"] for crowd in crowds), 3),
            "sockets_mib_sent": round(crowds[-1]["bytes"] / 2**20, 1),
            "calls_per_s_unwatched": round(statistics.median(one.rate for one in without)),
            "calls_per_s_watched": round(statistics.median(one.rate for one in watched)),
            "watched_ratio": round(
                statistics.median(w.rate / u.rate for w, u in zip(watched, without, strict=True)), 3
            ),
            "worker_cpu_ms_per_call_unwatched": round(statistics.median(one.cpu_ms for one in without), 3),
            "worker_cpu_ms_per_call_watched": round(statistics.median(one.cpu_ms for one in watched), 3),
            "web_cores_watched": round(statistics.median(one.web_cores for one in watched), 3),
            "web_mib_before": before,
            "web_mib_peak": memory_mib(web.pid, "VmHWM"),
        }
    finally:
        house.close()


def latency_ms(port: int, user: Any) -> list[float]:
    """Single appends with pauses between them, as a person meets them."""
    from cases.watching import Page

    from journal import bodies
    from journal.entries import Entry
    from runs.held import HeldRun
    from runs.host import Round

    held = HeldRun(claimed(SUM % "", 0))
    page = Page(port, user, held.run.pk)
    page.read_change()
    seen: dict[int, float] = {}
    done = threading.Event()

    def read() -> None:
        while len(seen) < APPENDS:
            frame = page.read()
            now = time.perf_counter()
            if frame["_"] == "append":
                seen.update({entry["seq"]: now for entry in frame["entries"]})
        done.set()

    threading.Thread(target=read, daemon=True).start()
    written = {}
    for seq in range(1, APPENDS + 1):
        held.commit(Round([Entry.of(seq, 0, bodies.log(seq, "info", "a line", None))]))
        written[seq] = time.perf_counter()
        time.sleep(0.037)  # no multiple of any period of ours
    assert done.wait(30), "not all appends were seen"
    page.close()
    return [(seen[seq] - written[seq]) * 1000 for seq in written]


@dataclass(frozen=True)
class Pace:
    """Calls per second; CPU of the worker for each; cores that the web process kept busy meanwhile."""

    rate: float
    cpu_ms: float
    web_cores: float


def pace(run: Any, calls: int, web: int) -> Pace:
    began, cpu, web_cpu = time.perf_counter(), time.process_time(), cpu_s(web)
    advance(run)
    took = time.perf_counter() - began
    return Pace(calls / took, (time.process_time() - cpu) * 1000 / calls, (cpu_s(web) - web_cpu) / took)


def cpu_s(pid: int) -> float:
    """CPU seconds that a process has used; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watched_pace(port: int, user: Any, calls: int, web: int) -> tuple[Pace, dict[str, Any]]:
    from cases.watching import cookie_of

    from journal.models import Journal

    run = claimed(SUM % "", calls)
    script = Path(__file__).parent / "crowd.py"
    crowd = subprocess.Popen(
        # The readers are no part of what is measured, and on a small machine they take turns with it.
        ["nice", "-n", "19", sys.executable, script, str(port), cookie_of(user), run.pk, str(SOCKETS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert crowd.stdin is not None
    assert crowd.stdout is not None
    try:
        assert crowd.stdout.readline() == "ready\n"
        found = pace(run, calls, web)
        last = Journal.objects.get(pk=run.journal_id).next_seq - 1
        crowd.stdin.write(f"{last}\n")
        crowd.stdin.flush()
        return found, json.loads(crowd.stdout.readline())
    finally:
        crowd.kill()
        crowd.wait()


def memory_mib(pid: int, what: str) -> float | None:
    """VmRSS or VmHWM of a process; None where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith(what)), None)
