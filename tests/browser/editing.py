"""Writing into the editor of a page."""

from playwright.sync_api import Page


def write(page: Page, source: str) -> None:
    """Put the source in place of what is there."""
    page.locator("[data-editor].live").wait_for()  # the text area that it begins as has the same name
    page.get_by_role("textbox", name="Script").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
