"""The client stands by itself: any program can import it, and it knows what it has copied."""

import shutil
import subprocess
import sys
from pathlib import Path

from runs.client.items import ENDED
from runs.lifecycle import TERMINAL

ROOT = Path(__file__).resolve().parents[3]


def test_it_is_imported_without_django() -> None:
    code = "import runs.client, sys; print([n for n in sys.modules if n.partition('.')[0] in {'django', 'journal'}])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_knows_when_a_run_has_ended() -> None:
    assert {str(status) for status in TERMINAL} == ENDED


def test_it_can_be_copied_under_another_name(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "runs" / "client", tmp_path / "daybook_client")
    code = "import daybook_client, sys; print('runs' in sys.modules, daybook_client.Token('t'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False ")
