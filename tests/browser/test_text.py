"""Whatever a script makes is text: it is shown as it is, runs nothing, and turns nothing around."""

import pytest
from playwright.sync_api import Page, expect

from browser.scenes import BIDI, HARMFUL, HOSTILE
from browser.site import Site
from browser.windows import Look
from runs.models import Run

pytestmark = pytest.mark.browser
TABS = ("activity", "calls", "timeline", "source", "values")
TEN_MB = 10_000_000
# Texts with characters that turn the direction, and neither alone in their block nor isolated from what is beside them.
TURNING = """() => {
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const wrong = [];
  for (let text; (text = texts.nextNode());) {
    if (!text.data.includes('\\u202e')) continue;
    let here = text.parentElement;
    const isolated = () => getComputedStyle(here).unicodeBidi !== 'normal';
    while (getComputedStyle(here).display === 'inline' && !isolated()) here = here.parentElement;
    if (!isolated() && here.textContent.trim() !== text.data.trim()) wrong.push(here.outerHTML.slice(0, 300));
  }
  return wrong;
}"""


@pytest.fixture(scope="module")
def runs(site: Site) -> dict[str, Run]:
    text = f"{HARMFUL} {BIDI}"
    fields = {"title": text[:190], "input": {"text": text, "size": TEN_MB}}
    runs = {end: site.begun(HOSTILE, **fields) for end in ("waits", "fails", "ends")}
    for run in runs.values():
        site.once_parked(run)
    site.signal(runs["fails"], "end", "fail")
    site.signal(runs["ends"], "end")
    site.once_ended(runs["fails"])
    site.once_ended(runs["ends"])
    return runs


def unharmed(page: Page) -> None:
    expect(page.locator("main")).to_contain_text("</script><script>document.title='run'")
    assert page.title() != "run"
    assert page.locator("img[src=x], script:not([src])").count() == 0
    assert page.evaluate(TURNING) == []


@pytest.mark.parametrize("end", ["waits", "fails", "ends"])
def test_on_the_page_of_a_run(end: str, runs: dict[str, Run], look: Look) -> None:
    page = look(f"/runs/{runs[end].pk}/")
    for tab in TABS:
        page.goto(f"/runs/{runs[end].pk}/?tab={tab}")
        unharmed(page)


@pytest.mark.parametrize(
    "address",
    ["{waits}/cancel/", "{waits}/signal/", "{fails}/retry/", "{fails}/fix/", "{ends}/fork/", "new?from={ends}"],
)
def test_where_a_run_is_operated(address: str, runs: dict[str, Run], look: Look) -> None:
    page = look("/runs/" + address.format(**{name: run.pk for name, run in runs.items()}))
    if "new" in address:
        expect(page.get_by_label("Title")).to_have_value(runs["ends"].title)
    else:
        unharmed(page)


def test_in_the_list(runs: dict[str, Run], look: Look) -> None:
    unharmed(look("/runs/"))


def test_when_it_arrives_while_one_looks(site: Site, look: Look) -> None:
    text = f"{HARMFUL} {BIDI}"
    run = site.once_parked(site.begun("await ctx.waitForEvent({});\n" + HOSTILE, input={"text": text, "size": 1}))
    page = look(f"/runs/{run.pk}/")
    site.signal(run, "go")
    expect(page.locator("#entries")).to_contain_text("</script><script>document.title='run'")
    site.signal(run, "end")
    expect(page.locator(".standing")).to_contain_text("Succeeded")
    unharmed(page)


def test_ten_megabytes_are_cut_and_their_size_is_told(runs: dict[str, Run], look: Look) -> None:
    page = look(f"/runs/{runs['ends'].pk}/?tab=values")
    output = page.locator("#output")
    expect(output).to_contain_text("9.5 MB")
    assert len(output.inner_text()) < 50_000
