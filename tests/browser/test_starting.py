"""Starting a run from a page, with lint marks while one types."""

import re

import pytest
from playwright.sync_api import expect

from browser.axe import grave_faults
from browser.editing import write
from browser.keyboard import tab_to
from browser.site import Site
from browser.windows import Look, Windows

pytestmark = pytest.mark.browser
BAD = "export default async function (input, ctx) {\n  const now = new Date();\n  return now;\n}\n"
GOOD = BAD.replace("new Date()", "await ctx.now()")
RUN_PAGE = re.compile(r"/runs/[0-9a-z]{20,}/$")


def test_a_bad_line_is_marked_and_mending_it_starts_the_run(look: Look) -> None:
    page = look("/runs/new")
    write(page, BAD)
    finding = page.locator(".findings li")
    expect(finding).to_contain_text("2:")
    expect(finding).to_contain_text("Date")
    expect(page.locator(".ace_gutter-cell.ace_error")).to_have_text("2")
    expect(page.locator(".ace_marker-layer .lint-error")).not_to_have_count(0)
    assert not grave_faults(page)

    write(page, GOOD)
    expect(finding).to_have_count(0)
    page.get_by_label("Title").fill("Started by hand")
    page.get_by_role("button", name="Start the run").click()
    expect(page).to_have_url(RUN_PAGE)
    expect(page.get_by_role("heading", name="Started by hand")).to_be_visible()
    expect(page.locator("main")).to_contain_text("Succeeded")


def test_what_cannot_be_started_is_refused_and_nothing_written_is_lost(look: Look, windows: Windows) -> None:
    windows.expect_status(422)
    page = look("/runs/new")
    write(page, BAD)
    page.get_by_label("Input").fill('{"a": }')
    page.get_by_label("Title").fill("Not yet")
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith("/new")) as told:
        page.get_by_role("button", name="Start the run").click()
    assert told.value.status == 422
    expect(page.get_by_role("alert")).to_contain_text("Not started")
    expect(page.get_by_label("Title")).to_have_value("Not yet")
    expect(page.get_by_label("Input")).to_have_value('{"a": }')
    expect(page.locator(".ace_content")).to_contain_text("new Date()")


def test_an_example_is_started_by_keyboard_alone(look: Look) -> None:
    page = look("/runs/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("main").get_by_role("link", name="New run"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="fan_out"))
    page.keyboard.press("Enter")
    expect(page.locator(".ace_content")).to_contain_text("Fan-out")
    page.get_by_role("textbox", name="Script").focus()
    page.keyboard.press("Escape")
    tab_to(page, page.get_by_role("button", name="Start the run"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(RUN_PAGE)


def test_a_list_that_is_open_shows_how_a_run_moves_on(site: Site, look: Look) -> None:
    run = site.begun("await ctx.waitForEvent({ signal: 'go' }, { label: 'A word' })", title="Listed")
    site.once_parked(run)
    page = look("/runs/?q=Listed")
    row = page.get_by_role("row", name="Listed")
    expect(row).to_contain_text("Waiting for A word")
    site.signal(run, "go")
    expect(row).to_contain_text("Succeeded")
