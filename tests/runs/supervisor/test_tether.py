"""A tethered process ends when its parent does, with the kernel's help and without."""

import subprocess
import sys

import pytest
from helpers import ROOT, alive, eventually

PARENT = """
import os, sys, time
child = os.fork()
if child == 0:
    from runs.supervisor import tether
    if "{way}" == "polling":
        tether._by_kernel = lambda: False
    tether.tether(os.getppid())
    print(os.getpid(), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("way", ["kernel", "polling"])
def test_a_tethered_process_ends_with_its_parent(way: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(way=way)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout
    with parent.stdout:
        child = int(parent.stdout.readline())
    assert alive(child)
    parent.kill()
    parent.wait()
    eventually(lambda: not alive(child))


def test_a_process_whose_parent_is_gone_already_ends_at_once() -> None:
    code = "from runs.supervisor.tether import tether; tether(1234567); print('still here')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
