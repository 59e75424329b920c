"""Makes `growing`, and the tools of the tests of operations, importable."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.tools import registered

_RUNS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(Path(__file__).resolve().parent), str(_RUNS / "operations"), str(_RUNS / "host")]


@pytest.fixture
def tools() -> Iterator[None]:
    from going import define_tools

    with registered():
        define_tools()
        yield
