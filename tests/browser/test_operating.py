"""Operating a run from its page: answer, find out why it failed, mend it, cancel it."""

import re

import pytest
from cases.installation import look as now
from cases.installation import script
from playwright.sync_api import Page, expect

from browser.axe import grave_faults
from browser.editing import write
from browser.scenes import FAMILY, INVOICE, MENDED, REPORT
from browser.site import Site
from browser.windows import Look, Windows

pytestmark = pytest.mark.browser


def status(page: Page, words: str) -> None:
    expect(page.locator("[data-part=overview] .standing")).to_contain_text(words)


def test_an_answer_to_a_wait_brings_the_run_to_its_end(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(REPORT, title="Report"))
    page = look(f"/runs/{run.pk}/")
    status(page, "Waiting for Sign-off by finance")
    form = page.get_by_role("form", name="Answer Sign-off by finance")
    form.get_by_text("With a payload").click()
    form.get_by_label("Payload").fill('{"name": "Ana"}')
    form.get_by_role("button", name="Answer").click()
    status(page, "Succeeded")
    expect(page.get_by_role("form", name="Answer")).to_have_count(0)
    page.get_by_role("link", name="Input and output").click()
    expect(page.locator("#output")).to_contain_text('"name": "Ana"')


def test_a_payload_that_is_no_json_is_refused_and_kept(site: Site, look: Look, windows: Windows) -> None:
    windows.expect_status(422)
    run = site.once_parked(site.begun(REPORT, title="Report"))
    page = look(f"/runs/{run.pk}/")
    form = page.get_by_role("form", name="Answer Sign-off by finance")
    form.get_by_text("With a payload").click()
    form.get_by_label("Payload").fill('{"name": Ana}')
    form.get_by_role("button", name="Answer").click()
    expect(page.locator(".wrong-text")).to_contain_text("JSON")
    expect(page.get_by_label("Payload")).to_have_value('{"name": Ana}')
    assert site.ask(now, run).status == "waiting"


def test_what_somebody_writes_is_kept_when_another_answers_first(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(REPORT, title="Report"))
    slow, fast = (look(f"/runs/{run.pk}/") for _ in range(2))
    slow.get_by_text("With a payload").click()
    slow.get_by_label("Payload").fill('{"name": "Ben"}')
    fast.get_by_role("button", name="Answer").click()
    status(fast, "Succeeded")
    status(slow, "Succeeded")
    expect(slow.get_by_text("No longer waiting for that")).to_be_visible()
    expect(slow.get_by_label("Payload")).to_have_value('{"name": "Ben"}')
    expect(slow.get_by_role("button", name="Answer")).to_be_disabled()


def test_a_failure_leads_to_its_call_and_the_call_to_its_line(site: Site, look: Look) -> None:
    run = site.once_ended(site.begun(INVOICE, title="Invoice"))
    page = look(f"/runs/{run.pk}/")
    status(page, "Failed")
    error = page.get_by_role("region", name="address-refused")
    expect(error).to_contain_text("127.0.0.1")
    error.get_by_role("link", name="call 3").click()
    call = page.locator("#call-3")
    expect(call).to_contain_text("Arguments")
    expect(call).to_contain_text("/invoices/2024-17")
    expect(call).to_contain_text("Sending it to the bank")
    call.get_by_role("link", name="line", exact=False).first.click()
    line = page.locator(".failing")
    expect(line).to_be_in_viewport()
    expect(line).to_contain_text("/invoices/")
    expect(line).to_contain_text("failed here")


def test_what_failed_is_mended_and_goes_on_to_its_end(site: Site, look: Look) -> None:
    run = site.once_ended(site.begun(INVOICE, title="Invoice"))
    page = look(f"/runs/{run.pk}/")
    page.get_by_role("link", name="Fix and continue").click()
    write(page, script(MENDED))
    page.get_by_role("button", name="Dry replay").click()
    expect(page.locator("[data-list=reused] li")).to_have_text(re.compile("call 1 .*echo"))
    expect(page.locator("[data-list=new] li")).to_have_text(re.compile("call 4 .*echo"))
    expect(page.locator("[data-list=orphans]")).to_contain_text("http.request")
    changed = page.get_by_role("region", name="The changed script").locator("[data-sign='+']")
    expect(changed).to_contain_text(["status: 202"])
    assert not grave_faults(page)
    page.locator("#dry").get_by_role("button").click()
    expect(page).to_have_url(re.compile(rf"/runs/{run.pk}/"))
    status(page, "Succeeded")
    assert site.once_ended(run).output == {"number": "2024-17", "receipt": 202}


def test_cancelling_a_tree_says_what_else_it_stops(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(FAMILY, title="Stock"))
    page = look(f"/runs/{run.pk}/")
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("main")).to_contain_text("Stock of the south")
    expect(page.get_by_role("main")).to_contain_text("Stock of the west")
    expect(page.get_by_role("main")).not_to_contain_text("Stock of the north")
    page.get_by_role("button", name="Cancel").click()
    expect(page).to_have_url(re.compile(rf"/runs/{run.pk}/$"))
    status(page, "Canceled")
    assert site.ask(lambda: sorted(set(run.tree.values_list("status", flat=True)))) == ["canceled", "succeeded"]


def test_what_an_operator_does_comes_into_the_activity_that_somebody_else_looks_at(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(REPORT, title="Report"))
    other = look(f"/runs/{run.pk}/")
    other.evaluate("window.notReloaded = true")
    page = look(f"/runs/{run.pk}/signal/?name=weather")
    page.get_by_label("Reason").fill("it rains")
    page.get_by_role("button", name="Send").click()
    expect(other.locator(".entry.deed")).to_contain_text("ada: signal (it rains), signal weather, outcome kept")
    page.goto(f"/runs/{run.pk}/cancel/")
    page.get_by_label("Reason").fill("too wet")
    page.get_by_role("button", name="Cancel").click()
    expect(other.locator(".entry.deed")).to_contain_text(["ada: cancel (too wet)", "ada: signal (it rains)"])
    assert other.evaluate("window.notReloaded")


@pytest.mark.parametrize("javascript", [True, False])
def test_the_page_asks_for_what_its_mode_uses(site: Site, look: Look, javascript: bool) -> None:
    run = site.once_ended(site.begun(INVOICE, title="Invoice"))
    page = look(f"/runs/{run.pk}/fix/", java_script_enabled=javascript)
    call, result = page.get_by_label("From call"), page.get_by_label("Another result")
    seen = {"Retry": (False, False), "Rewind": (True, False), "Fork": (True, True)}
    for mode, (asks_call, asks_result) in seen.items():
        page.get_by_role("radio", name=mode).check()
        expect(call).to_be_visible(visible=asks_call)
        expect(result).to_be_visible(visible=asks_result)


def test_the_button_that_stands_out_is_the_one_that_helps(site: Site, look: Look) -> None:
    run = site.once_ended(site.begun(INVOICE, title="Invoice"))  # of an address that is refused again and again
    page = look(f"/runs/{run.pk}/")
    expect(page.locator(".actions .main")).to_have_text("Fix and continue")
    expect(page.get_by_role("link", name="Retry call 3")).to_be_visible()
    again = site.once_ended(site.begun("return ctx.call('flaky', { good_at: 5 })", title="Flaky"))
    page.goto(f"/runs/{again.pk}/")
    expect(page.locator(".actions .main")).to_have_text("Retry call 1")


def test_beside_cancel_a_rewind_is_no_button(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(REPORT, title="Report"))
    page = look(f"/runs/{run.pk}/")
    expect(page.locator(".actions .button.grave")).to_have_text("Cancel")
    expect(page.locator(".actions .button", has_text="Rewind")).to_have_count(0)
    page.get_by_role("link", name="Rewind to a call").click()
    expect(page.get_by_role("heading", name="Rewind this run")).to_be_visible()
