"""For modules whose cases run on both, `pytestmark = BOTH`; and storms, which also run on several of each process."""

import pytest

POSTGRES = pytest.param("postgres", marks=[pytest.mark.postgres, pytest.mark.redis])
BOTH = pytest.mark.parametrize("engine", ["sqlite", POSTGRES], indirect=True, scope="module")
SEVERAL = pytest.param("several", marks=[pytest.mark.postgres, pytest.mark.redis, pytest.mark.heavy])
ALL = pytest.mark.parametrize("engine", ["sqlite", POSTGRES, SEVERAL], indirect=True, scope="module")
