"""`make bench-pruning`: how many runs a second `manage.py pruneruns` deletes, as one JSON object.

Seeds an installation in a temporary folder, or on the empty database of `--postgres URL`, with journals. Kills the
command once on its way and begins it again, as C40 has it; the rate is that of the second go, which has most of it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COUNT = "from runs.models import Run; print(Run.objects.count())"
KILLED_AFTER = 0.05  # of the runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000, help="how many runs are made; 100000")
    parser.add_argument("--postgres", help="URL of an empty database to use in place of SQLite")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environ = (
            os.environ | {"DAYBOOK_DATA_DIR": folder} | ({"DATABASE_URL": asked.postgres} if asked.postgres else {})
        )
        if not asked.postgres:
            environ.pop("DATABASE_URL", None)
        print(json.dumps(measured(environ, asked.runs)))


def measured(environ: dict[str, str], runs: int) -> dict[str, Any]:
    """All times in seconds, of the command's own clock."""
    manage(environ, "migrate", "--verbosity", "0")
    seeded = json.loads(manage(environ, "seedruns", "--runs", str(runs), "--entries", "--json"))
    killed = interrupted(environ, runs)
    rest = json.loads(manage(environ, "pruneruns", "--older-than", "1h", "--json"))
    left = int(manage(environ, "shell", "--no-imports", "-c", COUNT))
    assert left == runs - killed - rest["runs"], f"{left} runs are left of {runs}"
    return {
        "database": "postgresql" if "DATABASE_URL" in environ else "sqlite",
        "runs": runs,
        "entries": seeded["entries"],
        "deletedBeforeTheKill": killed,
        "deletedAfter": rest["runs"],
        "entriesDeletedAfter": rest["entries"],
        "seconds": rest["seconds"],
        "runsPerSecond": round(rest["runs"] / rest["seconds"]),
        "left": left,
    }


def interrupted(environ: dict[str, str], runs: int) -> int:
    """Kill the command when it has deleted some; how many."""
    command = [sys.executable, str(ROOT / "manage.py"), "pruneruns", "--older-than", "1h"]
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    while process.poll() is None and int(manage(environ, "shell", "--no-imports", "-c", COUNT)) > runs * (
        1 - KILLED_AFTER
    ):
        time.sleep(0.01)
    process.kill()
    process.wait()
    return runs - int(manage(environ, "shell", "--no-imports", "-c", COUNT))


def manage(environ: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, env=environ, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
