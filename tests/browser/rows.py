"""The rows of Activity on a page, against the journal that they show."""

from helpers import eventually
from playwright.sync_api import Page, expect

from browser.scenes import TALKER
from browser.site import Site
from browser.windows import Look
from runs.models import Run

MOST = 500  # rows of one run in a page


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


def assert_told_everywhere(site: Site, look: Look) -> None:
    """What a run does from now on comes into two windows on it, the same into both, which are not loaded again."""
    run = site.once_parked(site.begun(TALKER, title="Talker", input={"times": 2}))
    windows = [look(f"/runs/{run.pk}/"), look(f"/runs/{run.pk}/", phone=True)]
    for page in windows:
        page.evaluate("window.notReloaded = true")
    for _ in range(2):
        site.signal(run, "tell", 5)
    for page in windows:
        expect(page.locator(".standing")).to_contain_text("Succeeded")
        shows_all_of(page, newest(site, run))
        assert page.evaluate("window.notReloaded")
    assert shown(windows[0]) == shown(windows[1])
