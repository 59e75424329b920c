"""A run's page by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from browser.keyboard import tab_to
from browser.scenes import REPORT
from browser.site import Site
from browser.windows import Look

pytestmark = pytest.mark.browser


def test_every_view_of_a_run_is_reached_and_its_wait_answered(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(REPORT, title="Report"))
    page = look(f"/runs/{run.pk}/")
    views = page.get_by_role("navigation", name="Views of this run")
    for name, what in (
        ("Tool calls", "echo"),
        ("Timeline", "As a table"),
        ("Source", "waitForEvent"),
        ("Activity", "Sign-off"),
    ):
        tab_to(page, views.get_by_role("link", name=name))
        page.keyboard.press("Enter")
        expect(page.locator("#tab")).to_contain_text(what)

    tab_to(page, page.get_by_role("link", name="Steps and plan"))
    page.keyboard.press("Enter")
    expect(page.locator("#entries")).not_to_contain_text("echo")

    page.reload()
    tab_to(page, page.get_by_role("button", name="Answer"))
    page.keyboard.press("Enter")
    expect(page.locator(".standing")).to_contain_text(re.compile("Succeeded"))
