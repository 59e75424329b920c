"""One installation and one browser for all tests of this folder, and windows for each."""

import contextlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import services
from cases.fixtures import engine, own_services, postgres_template, services_environ  # noqa: F401
from playwright.sync_api import Browser, Page, sync_playwright

from browser.bank import Bank, bank
from browser.site import Site, served
from browser.windows import Look, Windows, launch

# Some tests look at values of ten megabytes.
ROOMY = {"DAYBOOK_RESULT_MAX_BYTES": str(16 << 20), "DAYBOOK_JOURNAL_MAX_BYTES": str(64 << 20)}


@pytest.fixture(scope="package", name="bank")
def bank_fixture() -> Iterator[Bank]:
    with bank() as server:
        yield server


@pytest.fixture(scope="package")
def site(
    house_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    django_db_blocker,
    bank: Bank,
) -> Iterator[Site]:
    """Web, workers and clock, running; two of each where `services.SEVERAL` says so. Scripts may ask the bank."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        each, environ = 1, ROOMY | {"DAYBOOK_HTTP_ALLOW_HOSTS": bank.host}
        if services.SEVERAL:
            each = 2
            environ |= {"DAYBOOK_MAX_CRASHES": "50"}
            environ |= stack.enter_context(own_services(request.getfixturevalue("postgres_template")))
        site = stack.enter_context(served(house_template, tmp_path_factory.mktemp("site"), each, **environ))
        yield site
        print(f"{site.deaths} deaths")


@pytest.fixture(autouse=True)
def _storm(request: pytest.FixtureRequest) -> Iterator[None]:
    """Among several processes of each kind, some die during each test. DAYBOOK_SEED repeats a storm."""
    site = request.getfixturevalue("site") if services.SEVERAL and "site" in request.fixturenames else None
    if site is None or site.each == 1:
        yield
        return
    seed = int(os.environ.get("DAYBOOK_SEED") or random.SystemRandom().randrange(10**6))
    print(f"storm: seed {seed}")
    with site.storm(random.Random(seed)):
        yield


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def windows(chromium: Browser, site: Site) -> Iterator[Windows]:
    """Windows of this test alone; at its end nothing may have gone wrong in any."""
    windows = Windows(chromium, site.url)
    yield windows
    windows.close()
    assert not windows.faults, "\n".join(windows.faults)


@pytest.fixture
def look(windows: Windows, site: Site) -> Look:
    """`look(path)` opens it in a window of `user`; further arguments as of `Windows.open`."""

    def look(path: str, user: str = "ada", status: int = 200, **options: Any) -> Page:
        windows.expect_status(status)
        page = windows.open(site.cookie(user) if user else "", **options)
        answer = page.goto(path)
        assert answer
        assert answer.status == status
        return page

    return look
