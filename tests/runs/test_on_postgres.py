"""What asks the database in its own words is tested on PostgreSQL too: the same tests, in a process of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
SAME = {
    "finding": ("admin/test_list.py", "finding", "searching", "seeding/test_seeding.py", "vitals", "test_audit.py"),
    "api": (
        *("api/test_dispatch.py", "api/test_races.py", "api/test_costs.py", "api/test_sweeping.py"),
        *("api/actions/test_journal.py", "api/actions/test_looking.py", "api/actions/test_costs.py"),
    ),
    "files": (
        *("portable/test_round_trip.py", "portable/test_copies.py", "operations/test_verifying.py"),
        *("health/test_journals.py", "pruning"),
    ),
}
ONCE = "not heavy and not postgres"


@pytest.mark.postgres
@pytest.mark.parametrize("what", SAME)
def test_the_same_holds_on_postgresql(what: str, postgres_url: str, tmp_path: Path) -> None:
    environ = os.environ | {"DATABASE_URL": postgres_url, "DAYBOOK_DATA_DIR": str(tmp_path)}
    names = [str(TESTS / "runs" / name) for name in SAME[what]]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", ONCE, *names]
    done = subprocess.run(command, cwd=TESTS.parent, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
