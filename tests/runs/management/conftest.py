"""What the tests of commands share: scripts in files, and a threshold that makes every sleep park; makes `going` and
`lives` of other tests importable."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_RUNS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_RUNS / name) for name in ("portable", "operations", "host")]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Writes the body of a main function into a file and returns its name."""

    def write(body: str, name: str = "script.js") -> str:
        path = tmp_path / name
        path.write_text(f"export default async function (input, ctx) {{\n{body}\n}}\n", encoding="utf-8")
        return str(path)

    return write


@pytest.fixture
def parks(settings: Any) -> None:
    """Any sleep of more than a millisecond parks."""
    settings.DAYBOOK = {**settings.DAYBOOK, "resident_sleep_ms": 1}
