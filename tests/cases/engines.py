"""For modules whose cases run on both: `pytestmark = BOTH`."""

import pytest

POSTGRES = pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.redis])
BOTH = pytest.mark.parametrize("engine", ["sqlite", POSTGRES], indirect=True, scope="module")
