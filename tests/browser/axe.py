"""Accessibility, as axe-core judges it."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = {"serious", "critical"}


def grave_faults(page: Page) -> list[str]:
    """Its violations of serious or critical level, one line each with the places they were found at."""
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']} ({fault['impact']}): {fault['help']}: "
        + "; ".join(node["html"][:200] for node in fault["nodes"])
        for fault in found
        if fault["impact"] in GRAVE
    ]
