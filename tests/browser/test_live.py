"""An open page shows what happens: the same in every window, without gap or double, whatever is cut meanwhile."""

import pytest
from helpers import eventually
from playwright.sync_api import expect

from browser.rows import MOST, assert_told_everywhere, newest, shown, shows_all_of
from browser.scenes import MANY, TALKER
from browser.site import Site
from browser.windows import Look, Windows
from runs.pruning import delete_tree

pytestmark = pytest.mark.browser


def test_entries_arrive_in_every_window_without_a_reload(site: Site, look: Look) -> None:
    assert_told_everywhere(site, look)


def test_a_thousand_entries_at_once_leave_the_newest_500_rows(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 1}))
    page = look(f"/runs/{run.pk}/")
    site.signal(run, "tell", 1000)
    last = newest(site, site.once_ended(run))
    eventually(lambda: shown(page)[:1] == [last], within=20)
    assert shown(page) == list(range(last, last - MOST, -1))


def test_new_entries_do_not_move_the_one_that_somebody_reads(site: Site, look: Look) -> None:
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 2}))
    page = look(f"/runs/{run.pk}/")
    row = page.locator("#entry-1")
    row.locator("summary").click()
    place = row.bounding_box()
    site.signal(run, "tell", 5)
    last = newest(site, site.once_parked(run))
    more = page.get_by_role("button", name=f"{last - 1} new entries")
    expect(more).to_be_visible()
    expect(page.locator(".standing")).to_contain_text("Waiting for A word")
    assert row.bounding_box() == place
    more.click()
    shows_all_of(page, last)


def test_a_page_whose_run_is_deleted_says_so_and_asks_for_nothing_more(site: Site, look: Look) -> None:
    run = site.once_ended(site.begun(TALKER, title="Talker", input={"times": 0}))
    page = look(f"/runs/{run.pk}/")
    expect(page.locator("html")).to_have_attribute("data-live", "live")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    site.ask(delete_tree, run, lambda tree: None)
    expect(page.locator("#live-state")).to_contain_text("This run was deleted.")
    page.evaluate("dispatchEvent(new Event('online'))")  # which has a cut socket connect again at once
    expect(page.locator("html")).to_have_attribute("data-live", "deleted")
    assert asked == []


def test_a_web_process_that_dies_leaves_no_gap_and_no_double(site: Site, look: Look, windows: Windows) -> None:
    windows.expected += ["WebSocket connection", "net::ERR_"]
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
    assert shown(page) == [1]
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
