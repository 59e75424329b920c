"""An open page shows what happens: the same in every window, without gap or double, whatever is cut meanwhile."""

import pytest
from helpers import eventually
from playwright.sync_api import Page, expect

from browser.scenes import MANY
from browser.site import Site
from browser.windows import Look, Windows
from runs.models import Run

pytestmark = pytest.mark.browser
MOST = 500  # rows of one run in a page
# Lines as it is told, by signals.
TALKER = """
  for (let told = 0; told < input.times; told++) {
    const { payload } = await ctx.waitForEvent({ signal: 'tell' }, { label: 'A word' });
    for (let i = 1; i <= payload; i++) await ctx.log('info', `Word ${i} of ${payload}`);
  }
"""


def shown(page: Page) -> list[int]:
    """The numbers of the rows, in the order of the page."""
    seqs = page.locator("#entries > li").evaluate_all("rows => rows.map((row) => Number(row.dataset.seq))")
    return [int(seq) for seq in seqs]


def newest(site: Site, run: Run) -> int:
    return site.ask(lambda: Run.objects.get(pk=run.pk).journal.next_seq - 1)


def shows_all_of(page: Page, last: int) -> None:
    """The newest rows of a journal that ends at `last`, newest first, without gap or double."""
    first = max(1, last - MOST + 1)

    def the_same() -> bool:
        seqs = shown(page)
        assert seqs == list(range(last, seqs[-1] - 1, -1)), seqs
        return seqs[-1] == 1 or len(seqs) <= last - first + 1

    eventually(the_same, within=20, what=f"entries to {last}")


def test_entries_arrive_in_every_window_without_a_reload(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 2}))
    windows = [look(f"/runs/{run.pk}/"), look(f"/runs/{run.pk}/", dark=True)]
    for page in windows:
        page.evaluate("window.notReloaded = true")
    for _ in range(2):
        site.signal(run, "tell", 5)
    for page in windows:
        expect(page.locator(".standing")).to_contain_text("Succeeded")
        shows_all_of(page, newest(site, run))
        assert page.evaluate("window.notReloaded")
    assert shown(windows[0]) == shown(windows[1])


def test_a_thousand_entries_at_once_leave_the_newest_500_rows(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 1}))
    page = look(f"/runs/{run.pk}/")
    site.signal(run, "tell", 1000)
    last = newest(site, site.once_ended(run))
    eventually(lambda: shown(page)[:1] == [last], within=20)
    assert shown(page) == list(range(last, last - MOST, -1))


def test_a_web_process_that_dies_leaves_no_gap_and_no_double(site: Site, look: Look, windows: Windows) -> None:
    windows.expected += ["WebSocket connection", "net::ERR_CONNECTION_REFUSED", "net::ERR_EMPTY_RESPONSE"]
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 3}))
    page = look(f"/runs/{run.pk}/")
    site.signal(run, "tell", 5)
    eventually(lambda: len(shown(page)) > 5, within=20)
    site.cut()
    try:
        expect(page.locator("#live-state")).to_be_visible()
        site.signal(run, "tell", 20)
        site.once_parked(run)
    finally:
        site.serve_again()
    site.signal(run, "tell", 5)
    site.once_ended(run)
    expect(page.locator(".standing")).to_contain_text("Succeeded")
    expect(page.locator("#live-state")).to_be_hidden()
    shows_all_of(page, newest(site, run))


def test_a_line_that_is_cut_for_a_while_leaves_no_gap_and_no_double(site: Site, look: Look, windows: Windows) -> None:
    windows.expected += ["WebSocket connection", "net::ERR_INTERNET_DISCONNECTED"]
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 2}))
    page = look(f"/runs/{run.pk}/")
    page.context.set_offline(True)
    site.signal(run, "tell", 700)
    site.once_parked(run)
    page.context.set_offline(False)
    site.signal(run, "tell", 5)
    site.once_ended(run)
    expect(page.locator(".standing")).to_contain_text("Succeeded")
    shows_all_of(page, newest(site, run))


def test_a_page_of_a_long_journal_never_holds_more_than_500_rows(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(MANY, title="Many", input={"entries": 4_900}))
    page = look(f"/runs/{run.pk}/")
    last = newest(site, run)
    assert last > 4_900
    begins, oldest = last, last + 1
    while oldest > last - 1500:
        rows = shown(page)
        assert len(rows) <= MOST
        assert rows == list(range(rows[0], rows[-1] - 1, -1))
        assert rows[0] in (begins, oldest - 1)  # grown, or a page of older ones that begins where the last has ended
        begins, oldest = rows[0], rows[-1]
        page.get_by_role("link", name="Older entries").click()
        expect(page.locator(f"#entry-{oldest - 1}")).to_be_attached()
