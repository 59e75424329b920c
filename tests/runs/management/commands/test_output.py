"""Where standard output takes nothing: no traceback, and an exit code that says so."""

import subprocess
import sys

import pytest
from helpers import ROOT, House


def shell(house: House, line: str) -> subprocess.CompletedProcess[str]:
    """A shell line in which `manage` is manage.py; its exit code is that of the first command of a pipe."""
    script = f'manage() {{ {sys.executable} {ROOT}/manage.py "$@"; }}; set -o pipefail; {line}'
    return subprocess.run(
        ["bash", "-c", script], env=house.environ, cwd=house.folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("manage listtools > /dev/full", 3, "No space left on device"),
        ("manage listtools --json > /dev/full", 3, "No space left on device"),
        ("manage showrun nope --json > /dev/full", 3, "No space left on device"),
        ("manage listtools >&-", 0, ""),
        ("manage showrun nope --json >&-", 2, "there is no run"),
        ("manage listtools --json | true", 3, ""),
        ("manage listtools > /dev/full 2>&1", 3, ""),
    ],
)
def test_no_traceback_and_a_clear_exit(house: House, line: str, code: int, words: str) -> None:
    done = shell(house, line)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert words in done.stderr
    assert bool(words) == bool(done.stderr), done.stderr


def test_the_run_of_a_startrun_that_cannot_say_its_id_is_there_and_the_words_say_so(house: House) -> None:
    (house.folder / "script.js").write_text("export default () => 1")
    done = shell(house, "manage startrun script.js > /dev/full")
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    assert "may be done; look before you repeat it" in done.stderr
    assert house.shell("from runs.models import Run\nanswer(Run.objects.count())") == 1
