"""Operating runs in the admin: a list that keeps true, from a failed run to its call and on, and many runs at once."""

import pytest
from cases.installation import look as now
from playwright.sync_api import expect

from browser.scenes import INVOICE, REPORT
from browser.site import Site
from browser.windows import Look

pytestmark = pytest.mark.browser
LIST = "/admin/runs/run/"


def test_the_rows_of_the_list_change_where_they_stand_and_stay_selected(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(REPORT, title="Report to be signed"))
    page = look(LIST)
    row = page.locator("#result_list tbody tr").filter(has_text=run.pk[:14])
    expect(row).to_contain_text("Waiting for Sign-off by finance")
    row.get_by_role("checkbox").check()
    site.signal(run, "approved", {"name": "Ana"})
    expect(row.locator(".badge")).to_contain_text("Succeeded")
    expect(row.get_by_role("checkbox")).to_be_checked()


def test_from_the_list_to_the_call_that_failed_and_a_fork_with_another_result(site: Site, look: Look) -> None:
    run = site.once_ended(site.begun(INVOICE, title="Invoice that fails"))
    page = look(f"{LIST}?status=failed")
    page.locator("#changelist-filter").get_by_text("By error code").click()
    page.locator("#changelist-filter").get_by_role("link", name="address-refused").click()
    page.get_by_role("link", name="Invoice that fails").first.click()
    expect(page.locator(".standing").first).to_contain_text("Failed: address-refused")
    page.goto(f"{LIST}{run.pk}/call/3/")
    expect(page.locator(".issuing")).to_contain_text("http://127.0.0.1:9/invoices")
    page.get_by_role("link", name="Fork with another result").click()
    page.get_by_label("Another result for that call").fill('{"status": 202}')
    page.get_by_role("button", name="Dry replay").click()
    page.get_by_label("Reason").fill("the bank has it")
    page.get_by_role("button", name="Fork from call 3").click()
    expect(page.locator(".standing").first).to_contain_text("Succeeded")
    expect(page.locator(".entry.deed")).to_contain_text("ada: fork (the bank has it)")


def test_runs_that_are_ticked_are_canceled_after_a_page_that_says_so(site: Site, look: Look) -> None:
    runs = [site.once_parked(site.begun(REPORT, title=f"To be stopped {n}")) for n in range(2)]
    page = look(LIST)
    for run in runs:
        page.locator("#result_list tbody tr").filter(has_text=run.pk[:14]).get_by_role("checkbox").check()
    page.get_by_label("Action:").select_option("cancel")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("2 runs will be touched.")).to_be_visible()
    page.get_by_label("Reason").fill("not needed any more")
    page.get_by_role("button", name="Cancel runs").click()
    expect(page.locator(".messagelist")).to_contain_text("2 runs canceled, or told to stop.")
    assert {site.ask(now, run).status for run in runs} == {"canceled"}


def test_all_columns_of_the_list_are_in_sight_on_a_small_desk(site: Site, look: Look) -> None:
    site.once_ended(site.begun(INVOICE, title="Invoice of the second quarter"))
    site.once_parked(site.begun(REPORT, title="Report of the second quarter"))
    page = look(LIST)
    expect(page.locator("#nav-sidebar")).to_be_visible()
    over = "box => box.scrollWidth - box.clientWidth"
    assert page.locator("#changelist .results").evaluate(over) == 0
    assert page.locator("html").evaluate(over) == 0
