"""Makes `going` of the operations' tests importable, with the tools that it registers."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.tools import registered

_RUNS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_RUNS / "portable"), str(_RUNS / "operations"), str(_RUNS / "host")]


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    from going import define_tools

    with registered():
        define_tools()
        yield
