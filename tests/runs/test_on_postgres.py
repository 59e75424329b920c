"""What asks the database in its own words is tested on PostgreSQL too: the same tests, in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SAME = ("admin/test_list.py", "api", "finding", "searching", "seeding/test_seeding.py", "vitals", "test_audit.py")


@pytest.mark.postgres
def test_the_same_holds_on_postgresql(postgres_url: str, tmp_path: Path) -> None:
    environ = os.environ | {"DATABASE_URL": postgres_url, "DAYBOOK_DATA_DIR": str(tmp_path)}
    names = [str(TESTS / "runs" / name) for name in SAME]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *names]
    done = subprocess.run(command, cwd=TESTS.parent, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
