"""Makes `going` and `driving` of other tests importable, and registers their tools."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.tools import registered

_RUNS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_RUNS / "portable"), str(_RUNS / "operations"), str(_RUNS / "host")]


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    from going import define_tools

    with registered():
        define_tools()
        yield
