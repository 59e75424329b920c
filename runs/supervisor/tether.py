"""Ties a process to its parent's life, so that killing the parent leaves no orphan that holds a port or a lease.

On Linux the kernel does it; elsewhere a daemon thread looks twice a second whether the parent is still the parent.
"""

import ctypes
import os
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.5


def tether(parent: int) -> None:
    """From now on this process ends, at once and without cleaning up, when the process `parent` does.

    Call it in the child, soon after the fork, from a child of `parent`'s main thread: Linux means the thread. Runs are
    safe against a kill at any moment, so nothing gentler is needed; a stop that is meant comes as SIGTERM.
    """
    if not (sys.platform == "linux" and _by_kernel()):
        threading.Thread(target=_watch, args=(parent,), name="tether", daemon=True).start()
    # The parent may have died between the fork and now, and then nobody will tell us any more.
    if os.getppid() != parent:
        os._exit(1)


def _by_kernel() -> bool:
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(1)
