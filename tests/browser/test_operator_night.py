"""The morning of a new operator: what failed last night is found, understood and mended, and all else retried."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from cases.installation import script
from playwright.sync_api import Locator, Page, expect

from browser.bank import Bank
from browser.editing import write
from browser.site import Site
from browser.windows import Look
from runs import audit
from runs.ids import new_id
from runs.models import Run

pytestmark = pytest.mark.browser
CODE = "http-failed"
NIGHTLY = """
  const { number, bank } = input;
  const invoice = await ctx.call('echo', { number, total: 4200 }, { description: `Reading invoice ${number}` });
  const receipt = await ctx.call('http.request',
    { url: `http://${bank}/invoices/${number}`, method: 'POST' }, { description: 'Sending it to the bank' });
  if (receipt.status !== 202) throw new Error(`The bank has not taken ${invoice.number}.`);
  return { number, receipt: receipt.status };
"""
MENDED = NIGHTLY.replace("/invoices/", "/reserve/")


def test_an_operator_clears_up_after_last_night(
    site: Site, look: Look, bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nightly(number: int) -> str:
        given = {"number": number, "bank": bank.host}
        return site.once_ended(site.begun(NIGHTLY, title=f"Nightly invoice {number}", input=given)).pk

    with monkeypatch.context() as earlier:
        ago = int((datetime.now(UTC) - timedelta(days=3)).timestamp() * 1000)
        earlier.setattr("runs.making.new_id", lambda: new_id(ago))
        nightly(10)
    first, *rest = [nightly(number) for number in (11, 12, 13)]

    # Last night's failed runs, by their error code
    page = look("/admin/")
    page.locator("#content").get_by_role("link", name="Runs", exact=True).click()
    by_filter(page, "date of creation", "The last 24 hours")
    by_filter(page, "error code", CODE)
    expect(rows(page)).to_have_count(3)
    expect(page.locator("#result_list")).not_to_contain_text("Nightly invoice 10")

    # One of them: its error, its call, the line that made it
    page.get_by_role("link", name="Nightly invoice 11").click()
    expect(page.locator(".standing").first).to_contain_text(f"Failed: {CODE}")
    page.get_by_role("region", name="Http failed").get_by_role("link", name="call 2").click()
    page.locator("#call-2").get_by_role("link", name="inspect").click()
    expect(page.get_by_role("heading", name="Call 2: http.request")).to_be_visible()
    expect(page.locator(".issuing")).to_contain_text("method: 'POST'")
    expect(page.get_by_role("region", name="Arguments")).to_contain_text(f"{bank.host}/invoices/11")

    # A fork in which the bank has answered shows that the rest of the script is right
    page.get_by_role("link", name="Fork with another result").click()
    page.get_by_label("Another result for that call").fill('{"status": 202}')
    page.get_by_role("button", name="Dry replay").click()
    expect(page.locator("[data-list=reused] li")).to_have_count(2)
    page.get_by_label("Reason").fill("would it go on?")
    page.get_by_role("button", name="Fork from call 2").click()
    stands(page, "Succeeded")
    assert bank.taken == []

    # So the run itself goes on with a script that asks elsewhere
    page.get_by_role("region", name="Related runs").get_by_role("link", name="Nightly invoice 11").click()
    expect(page).to_have_url(re.compile(rf"/runs/{first}/"))
    page.get_by_role("link", name="Fix and continue").click()
    write(page, script(MENDED))
    page.get_by_role("button", name="Dry replay").click()
    expect(page.locator("[data-list=reused] li")).to_have_text(re.compile("call 1 .*echo"))
    expect(page.locator("[data-list=new] li")).to_have_text(re.compile(r"call \d+ .*http.request .*/reserve/11"))
    expect(page.locator("[data-list=orphans] li")).to_have_text(re.compile("call 2 .*http.request .*/invoices/11"))
    page.get_by_label("Reason").fill("the bank's reserve takes it")
    page.locator("#dry").get_by_role("button").click()
    expect(page).to_have_url(re.compile(rf"/runs/{first}/"))
    stands(page, "Succeeded")
    assert bank.taken == ["/reserve/11"]

    # The bank is back: the others are retried together
    bank.open = True
    page.get_by_role("link", name="In the admin").click()
    page.locator(".breadcrumbs").get_by_role("link", name="Runs", exact=True).click()
    by_filter(page, "date of creation", "The last 24 hours")
    by_filter(page, "error code", CODE)
    expect(rows(page)).to_have_count(2)
    page.get_by_label("Select all").check()
    page.get_by_label("Action:").select_option("retry")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_text("2 runs will be touched.")).to_be_visible()
    expect(page.get_by_role("region", name="Will be touched")).to_contain_text("Nightly invoice 12")
    page.get_by_label("Reason").fill("the bank is back")
    page.get_by_role("button", name="Retry runs").click()
    expect(page.locator(".messagelist")).to_contain_text("2 runs retried.")

    # Where the list had been none is left, and last night has succeeded
    expect(page.locator("#changelist-filter .selected")).to_contain_text([CODE])
    by_filter(page, "error code", "All")
    page.get_by_label("Search").fill("Nightly invoice")
    page.get_by_role("button", name="Search").click()
    expect(rows(page)).to_have_count(4)
    for row in rows(page).all():
        expect(row.locator(".badge")).to_have_text(re.compile("Succeeded"))
    assert sorted(bank.taken) == ["/invoices/12", "/invoices/13", "/reserve/11"]
    told = {pk: [(deed.verb, deed.reason) for deed in site.ask(deeds_of, pk)] for pk in (first, *rest)}
    assert told == {
        first: [("retry", "the bank's reserve takes it"), ("fork", "would it go on?")],
        **{pk: [("retry", "the bank is back")] for pk in rest},
    }


def rows(page: Page) -> Locator:
    return page.locator("#result_list tbody tr")


def by_filter(page: Page, title: str, choice: str) -> None:
    filter_ = page.locator(f"#changelist-filter [data-filter-title='{title}']")
    if filter_.get_attribute("open") is None:
        filter_.locator("summary").click()
    filter_.get_by_role("link", name=choice, exact=True).click()
    expect(page.locator(f"[data-filter-title='{title}'] .selected")).to_have_text(choice)


def stands(page: Page, words: str) -> None:
    expect(page.locator("[data-part=overview] .standing")).to_contain_text(words)


def deeds_of(pk: str) -> list[audit.Deed]:
    return audit.deeds(Run(pk=pk))
