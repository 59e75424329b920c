"""What the tests of watching share."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from web import Web


@pytest.fixture
def web(transactional_db: None) -> Iterator[Web]:
    """The web process, as a thread of the test's."""
    with Web.serving() as web:
        yield web
