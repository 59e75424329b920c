"""Every page can be read by everybody: no grave fault that axe-core knows, in light and dark, and on a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.axe import CONTRAST, grave_faults, wider_than_a_phone
from browser.places import PLACES, place
from browser.scenes import all_of_them
from browser.site import Site
from browser.windows import Look, Windows

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def scenes(site: Site) -> Iterator[dict[str, str]]:
    yield {name: run.pk for name, run in all_of_them(site).items()}
    site.open("scene")


@pytest.fixture(scope="module")
def windows_of_all(chromium: Browser, site: Site) -> Iterator[Windows]:
    windows = Windows(chromium, site.url)
    yield windows
    windows.close()


@pytest.fixture(scope="module")
def window(windows_of_all: Windows, site: Site) -> Page:
    """One for page after page: a new one each would take longer than the looks."""
    return windows_of_all.open(site.cookie("ada"))


@pytest.mark.parametrize("name", [name for name in PLACES if name not in ("login", "missing")])
def test_it_can_be_read_by_everybody(name: str, scenes: dict[str, str], window: Page, windows_of_all: Windows) -> None:
    answer = window.goto(place(name, scenes))
    assert answer
    assert answer.status == 200
    readable_by_everybody(window)
    assert not windows_of_all.take_faults()


def test_so_can_the_page_for_signing_in(look: Look) -> None:
    readable_by_everybody(look("/login/", user=""))


def test_so_can_the_list_of_who_has_no_runs(look: Look) -> None:
    page = look("/runs/", user="ben")
    expect(page.get_by_role("main")).to_contain_text("No runs yet")
    readable_by_everybody(page)


def test_so_can_the_one_that_there_is_no_such_run(look: Look) -> None:
    readable_by_everybody(look("/runs/no-such-run/", status=404))


def readable_by_everybody(page: Page) -> None:
    assert not grave_faults(page)
    page.emulate_media(color_scheme="dark")
    assert not grave_faults(page, CONTRAST)
    page.emulate_media(color_scheme="light")
    assert wider_than_a_phone(page) == 0


def test_on_a_phone_the_chosen_view_is_in_sight(scenes: dict[str, str], look: Look) -> None:
    page = look(place("succeeded-values", scenes), phone=True)
    views = page.get_by_role("navigation", name="Views of this run")
    expect(views.get_by_role("link", name="Input and output")).to_be_in_viewport(ratio=1)
    views.get_by_role("link", name="Source").click()
    expect(page.locator("#tab")).to_contain_text("export default")
    expect(views.get_by_role("link", name="Source")).to_be_in_viewport(ratio=1)


def test_nothing_moves_for_who_wants_no_motion(scenes: dict[str, str], look: Look) -> None:
    page = look(place("running", scenes), reduced_motion="reduce")
    assert moving(page) == []


def moving(page: Page) -> list[str]:
    return page.evaluate("() => document.getAnimations().map((each) => each.animationName ?? String(each))")
