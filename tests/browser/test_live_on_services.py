"""Live pages with PostgreSQL and Redis, as on more than one host."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser.rows import assert_told_everywhere
from browser.site import Site, served
from browser.windows import Look

pytestmark = [
    *(pytest.mark.browser, pytest.mark.postgres, pytest.mark.redis),
    pytest.mark.parametrize("engine", ["postgres"], indirect=True, scope="module"),
]


@pytest.fixture(scope="module")
def site(
    house_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
    services_environ: dict[str, str],
    django_db_blocker,
) -> Iterator[Site]:
    with (
        django_db_blocker.unblock(),
        served(house_template, tmp_path_factory.mktemp("site"), **services_environ) as site,
    ):
        yield site


def test_entries_arrive_in_every_window_without_a_reload(site: Site, look: Look) -> None:
    assert_told_everywhere(site, look)
