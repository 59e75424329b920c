"""Makes `driving`, `programs` and `lives` of other tests importable, and registers the tools of these tests."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.tools import registered

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "host"), str(_HERE.parent / "portable")]


@pytest.fixture(autouse=True)
def tools() -> Iterator[None]:
    from going import define_tools

    with registered():
        define_tools()
        yield
