"""Accessibility, as axe-core judges it, and whether a page fits a phone."""

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

from browser.windows import PHONE

# Only the script of that package: its own runner sends it to the page again for every look.
SCRIPT = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
# Without a look at the style sheets, for which it would put styles into the page that its policy forbids.
RUN = "options => axe.run(document, { preload: false, resultTypes: ['violations'], ...options })"
GRAVE = {"serious", "critical"}
# The size of what is pressed is a rule of WCAG 2.2 that axe-core leaves off by itself.
ALL: dict[str, Any] = {"rules": {"target-size": {"enabled": True}}}
CONTRAST: dict[str, Any] = {"runOnly": ["color-contrast"]}


def grave_faults(page: Page, options: dict[str, Any] = ALL) -> list[str]:
    """Its violations of serious or critical level, one line each with the places they were found at."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SCRIPT)
    found = page.evaluate(RUN, options)["violations"]
    grave = [fault for fault in found if fault["impact"] in GRAVE]
    return [f"{fault['id']} ({fault['impact']}): {fault['help']}: {_places(fault)}" for fault in grave]


def _places(fault: dict[str, Any]) -> str:
    return "; ".join(node["html"][:200] for node in fault["nodes"])


def wider_than_a_phone(page: Page) -> int:
    """The pixels by which it has to be scrolled sideways on a phone; the window is as wide as before afterwards."""
    before = page.viewport_size
    page.set_viewport_size(PHONE)
    over = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if before:
        page.set_viewport_size(before)
    return int(over)
