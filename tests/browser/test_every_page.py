"""Every page can be read by everybody: no grave fault that axe-core knows, in light and dark, and on a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from browser.axe import CONTRAST, grave_faults, wider_than_a_phone
from browser.places import PLACES, place
from browser.scenes import all_of_them
from browser.site import Site
from browser.windows import Look

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def scenes(site: Site) -> Iterator[dict[str, str]]:
    yield {name: run.pk for name, run in all_of_them(site).items()}
    site.open("scene")


@pytest.mark.parametrize("name", PLACES)
def test_it_can_be_read_by_everybody(name: str, scenes: dict[str, str], look: Look, site: Site) -> None:
    page = look(place(name, scenes), user="" if name == "login" else "ada", status=404 if name == "missing" else 200)
    assert grave_faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert grave_faults(page, CONTRAST) == []
    assert wider_than_a_phone(page) == 0


def test_nothing_moves_for_who_wants_no_motion(scenes: dict[str, str], look: Look) -> None:
    page = look(place("running", scenes), reduced_motion="reduce")
    assert moving(page) == []


def moving(page: Page) -> list[str]:
    return page.evaluate("() => document.getAnimations().map((each) => each.animationName ?? String(each))")
